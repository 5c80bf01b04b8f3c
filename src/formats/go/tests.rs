use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::sgf::Record;

fn lines(notes: &[LineNote]) -> Vec<String> {
    notes.iter().map(LineNote::to_string).collect()
}

const GIB: &str = "\\HS\r\n\\[GAMEPLACE=Tygem Baduk\\]\r\n\\[GAMEWHITENAME=이세돌 (9D)\\]\r\n\\[GAMEBLACKNAME=jy512 (15K)\\]\r\n\
    \\[GAMEINFOMAIN=GBKIND:3,GTYPE:1,GTIME:1200-30-3,GRLT:1,ZIPSU:115,DUM:5,GONGJE:65,TCNT:0\\]\r\n\
    \\[GAMETAG=S1,R3,D5,G0,W255,Z0,T30-3-1200,C2016:03:26:17:29,I:x\\]\r\n\\HE\r\n\\GS\r\n2 1 0\r\nINI 0 1 3 &4 \r\n\
    STO 0 2 2 15 15 \r\nSKI 0 3\r\nSTO 0 4 2 16 13 \r\nSTO 0 5 1 19 14\r\nSTO 0 6\r\n\\GE\r\n";

#[test]
fn gib() {
    let (bytes, _, _) = encoding_rs::EUC_KR.encode(GIB);
    let read = read_gib(&bytes).unwrap();
    assert_eq!(read.charset, "EUC-KR");
    expect![[r#"
        (;GM[1]FF[4]CA[UTF-8]SZ[19]PC[Tygem Baduk]PW[이세돌]WR[9D]PB[jy512]BR[15K]RE[W+11.5]KM[6.5]TM[1200]OT[3x30 byo-yomi]DT[2016-03-26]HA[3]AB[dp][pd][dd]
        ;W[pp]
        ;B[]
        ;W[qn])
    "#]]
    .assert_eq(&read.sgf);
    assert_eq!(
        lines(&read.notes),
        [
            "line 14: the point lies off the 19x19 board",
            "line 15: a move has a colour, a column and a row behind two numbers"
        ]
    );
    assert_eq!(read_gib(b"(;GM[1])").unwrap_err().line, 1);
}

/// Kinds of result as Sabaki lists them, the margin in tenths.
#[test]
fn gib_results() {
    for (kind, margin, wanted) in [
        (0, 5, "RE[B+0.5]"),
        (1, 110, "RE[W+11]"),
        (3, 0, "RE[B+R]"),
        (4, 0, "RE[W+R]"),
        (7, 0, "RE[B+T]"),
        (8, 0, "RE[W+T]"),
        (255, 0, ""),
    ] {
        let file = format!("\\[GAMEINFOMAIN=GRLT:{kind},ZIPSU:{margin},\\]");
        let sgf = read_gib(file.as_bytes()).unwrap().sgf;
        assert!(sgf.contains(wanted) && sgf.contains("RE[") != wanted.is_empty(), "{sgf}");
    }
}

#[test]
fn ngf() {
    let file = "Rated game\n19\nace550      7D*\np81587      9DP\nwww.cyberoro.com\n2\n0\n0\n20170316 [09:51]\n5\nWhite wins by  resign!\n189\nPMABWQRRQ\nPMACBAAAA\nPMADXQRRQ\nPMAEBZZ\nPMA\n";
    let read = read_ngf(file.as_bytes()).unwrap();
    expect![[r#"
        (;GM[1]FF[4]CA[UTF-8]SZ[19]EV[Rated game]PW[ace550]WR[7d*]PB[p81587]BR[9p]PC[www.cyberoro.com]DT[2017-03-16]RE[W+R]HA[2]AB[dp][pd]
        ;W[pq]
        ;B[])
    "#]]
    .assert_eq(&read.sgf);
    assert_eq!(
        lines(&read.notes),
        [
            "line 15: the colour of a move is B or W",
            "line 16: the point lies off the 19x19 board",
            "line 17: a move has a number, a colour and a point behind PM"
        ]
    );
    let even =
        file.replace("\n2\n0\n0\n", "\n0\n0\n7\n").replace("White wins by  resign!", "Black wins by 0.5!");
    let sgf = read_ngf(even.as_bytes()).unwrap().sgf;
    assert!(sgf.contains("RE[B+0.5]KM[7.5]") && !sgf.contains("AB["), "{sgf}");
    assert_eq!(read_ngf(b"a\nb\n").unwrap_err().line, 2);
}

#[test]
fn old_ngf() {
    let file = "GI韩国十段战\nGI朴承华 初段\nGI李载雄 五段\nGI\nGI\nGI2006-9-5\nGI19\nGI0\nGI0\nGI6\nGI211\nPMABBREER\n";
    let read = read_ngf(&encoding_rs::GBK.encode(file).0).unwrap();
    expect![[r#"
        (;GM[1]FF[4]CA[UTF-8]SZ[19]EV[韩国十段战]PB[朴承华]BR[初段]PW[李载雄]WR[五段]DT[2006-09-05]KM[6.5]
        ;B[qd])
    "#]]
    .assert_eq(&read.sgf);
}

const UGF: &str = "[Header]\r\nVer=UGF3,200\r\nLang=SJIS\r\nTitle=2019,PANDA-NET,\r\nPlace=日本棋院\r\nDate=2019/03/08,22:09:00\r\nRule=JPN\r\nSize=19\r\n\
    Hdcp=2,-5.50\r\nWinner=B,7.50\r\nCoordinateType=IGS\r\nPlayerB=囲碁太郎,7d,,\r\nPlayerW=YINNI,8d,,\r\n[Data]\r\n\
    DD,B1,0,0\r\nPP,B1,0,0\r\nDP,W1,1,0\r\nPC,B1,2,0\r\nYA,W1,3,0\r\nZZ,B1,4,0\r\n[ReviewNode]\r\nNODE,1,0,0,0\r\n\
    [ReviewComment]\r\n.Comment,1\r\n よろしく\r\nhello\r\n.Comment,9\r\nlost\r\n";

#[test]
fn ugf() {
    let read = read_ugf(&encoding_rs::SHIFT_JIS.encode(UGF).0).unwrap();
    assert_eq!(read.charset, "Shift_JIS");
    expect![[r#"
        (;GM[1]FF[4]CA[UTF-8]SZ[19]EV[PANDA-NET]PC[日本棋院]DT[2019-03-08]RU[Japanese]HA[2]KM[-5.5]RE[B+7.5]PB[囲碁太郎]BR[7d]PW[YINNI]WR[8d]AB[dp][pd]C[よろしく
        hello]
        ;W[dd]
        ;B[pq]
        ;W[])
    "#]]
    .assert_eq(&read.sgf);
    assert_eq!(
        lines(&read.notes),
        [
            "line 20: \"ZZ\" is no point of the 19x19 board",
            "line 27: the comment is about 9, which is no move"
        ]
    );
    let above = UGF.replace("=IGS", "=JPN");
    assert!(read_ugf(above.as_bytes()).unwrap().sgf.contains("AB[dd][pp]"));
    let figure = "[Header]\nSize=9\n[Data]\nEE,B1,1,0\nCC,W1,2,0\n[Figure]\n.Text,2\n星\n.EndText\nnothing\n";
    assert!(read_ugf(figure.as_bytes()).unwrap().sgf.ends_with("\n;B[ee]\n;W[cg]C[星])\n"));
    assert_eq!(read_ugf(b"hello").unwrap_err().line, 1);
}

proptest! {
    #[test]
    fn what_is_read_is_sgf(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0..3_usize, at in any::<prop::sample::Index>()) {
        let sample = [GIB, "PMABBREER\nPMACWAAAA\n", UGF][cut];
        let mut file = sample.as_bytes().to_vec();
        let at = at.index(file.len());
        file.splice(at..at, bytes);
        for read in [read_gib(&file), read_ngf(&file), read_ugf(&file)].into_iter().flatten() {
            let record = Record::parse(read.sgf.as_str());
            prop_assert_eq!(record.findings(), &[]);
            prop_assert_eq!(record.games().len(), 1);
        }
    }
}
