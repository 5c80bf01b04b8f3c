//! The codes of findings: stable names, how bad each usually is, and what it means.

use std::fmt;

use super::{Severity, Words};

macro_rules! codes {
    ($($level:ident { $($variant:ident $name:literal $en:literal $zh:literal)* })*) => {
        /// A kind of finding.
        // The sentences are for people as well, who want no backslash in `FF[4]`.
        #[allow(rustdoc::broken_intra_doc_links)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[doc = $en] $variant,)*)* }

        impl Code {
            /// All codes.
            pub const ALL: &[Code] = &[$($(Code::$variant,)*)*];

            /// Its name, in kebab-case; never changes.
            pub const fn name(self) -> &'static str {
                match self { $($(Code::$variant => $name,)*)* }
            }

            /// How bad it usually is; `None` for what is only said on request.
            pub const fn severity(self) -> Option<Severity> {
                match self { $($(Code::$variant => codes!(@ $level),)*)* }
            }

            /// What it means.
            pub fn about(self) -> Words {
                match self { $($(Code::$variant => Words::new($en, $zh),)*)* }
            }
        }
    };
    (@ Off) => { None };
    (@ $level:ident) => { Some(Severity::$level) };
}

codes! {
    Error {
        NoGame "no-game" "The text holds no game." "文本中没有棋局。"
        TooLarge "too-large" "The record has more nodes or values than are read." "棋谱的节点或值太多，只读取了一部分。"
        UnclosedValue "unclosed-value" "A value has no `]`." "值缺少 `]`。"
        UnclosedTree "unclosed-tree" "A game or variation has no `)`." "棋局或变化缺少 `)`。"
        UnescapedBracket "unescaped-bracket" "A `]` inside a text has no backslash before it." "文本里的 `]` 前缺少反斜杠。"
        StrayText "stray-text" "Text inside a game belongs to no property." "棋局中的文字不属于任何属性。"
        MissingSemicolon "missing-semicolon" "A node starts without `;`." "节点开头缺少 `;`。"
        MissingOpen "missing-open" "A game starts without `(`." "棋局开头缺少 `(`。"
        ExtraClose "extra-close" "A `)` closes nothing." "多余的 `)`。"
        NodeAfterVariations "node-after-variations" "A node follows variations in the same tree." "变化之后又出现节点。"
        NodeOutsideTree "node-outside-tree" "A node stands behind the end of its game." "节点出现在棋局结束之后。"
        ValueWithoutName "value-without-name" "A value has no property name before it." "值前没有属性名。"
        PropertyWithoutValue "property-without-value" "A property has no value." "属性没有值。"
        OffBoard "off-board" "A point lies off the board." "点在棋盘之外。"
        BadPoint "bad-point" "A value is not a point." "值不是一个点。"
        BadNumber "bad-number" "A value is not a number." "值不是数字。"
        BadColor "bad-color" "A value is neither B nor W." "值既不是 B 也不是 W。"
        BadEmphasis "bad-emphasis" "A value is neither 1 nor 2." "值既不是 1 也不是 2。"
        BadSize "bad-size" "A value is not a board size." "值不是棋盘大小。"
        MissingColon "missing-colon" "A value of two parts has no colon." "由两部分组成的值缺少冒号。"
    }
    Warning {
        EmptyTree "empty-tree" "A variation has no node." "变化中没有节点。"
        LowerCaseName "lower-case-name" "A property name has no capital letter." "属性名没有大写字母。"
        DuplicateProperty "duplicate-property" "A property stands twice in a node." "节点中同一属性出现两次。"
        RootPropertyElsewhere "root-property-elsewhere" "A property of the whole game stands behind the root." "根属性不在根节点。"
        GameInfoTwice "game-info-twice" "Two nodes of one line tell about the game." "同一路线上有两个节点记载棋局信息。"
        AnnotationWithoutMove "annotation-without-move" "A judgement of a move stands in a node without a move." "对着法的评价所在节点没有着法。"
        ConflictingAnnotations "conflicting-annotations" "Judgements in one node exclude each other." "同一节点中的评价互相矛盾。"
        EmptyValue "empty-value" "A value is empty that may not be." "不可为空的值是空的。"
        UnexpectedValue "unexpected-value" "A property that has no value has one." "不应有值的属性有值。"
        TooManyValues "too-many-values" "A property of one value has several." "只应有一个值的属性有多个值。"
        OutOfRange "out-of-range" "A number is outside of what the property allows." "数字超出允许范围。"
        BadDate "bad-date" "A date has not the form YYYY-MM-DD." "日期不是 YYYY-MM-DD 的形式。"
        BadResult "bad-result" "A result has not the form that FF[4] asks for." "结果不是 FF[4] 规定的形式。"
        ReversedRectangle "reversed-rectangle" "A rectangle's corners are not upper left and lower right." "矩形的两角不是左上和右下。"
        DuplicatePoint "duplicate-point" "A point is listed twice." "同一个点出现两次。"
        ConflictingPoints "conflicting-points" "A point is in two lists that exclude each other." "同一个点出现在互斥的列表中。"
        OddKomi "odd-komi" "The komi is hardly meant." "贴目数值可疑。"
        OccupiedPoint "occupied-point" "A move is on a point where a stone stands." "落子点上已有棋子。"
        Suicide "suicide" "A move takes its own last liberty, which the rules forbid." "自杀着法，规则不允许。"
        Ko "ko" "A move retakes a ko at once." "立即回提劫。"
        Superko "superko" "A move repeats a whole position, which the rules forbid." "着法使全局同形再现，规则不允许。"
        TwoMoves "two-moves" "A node has more than one move." "一个节点中有多个着法。"
        SetupAndMove "setup-and-move" "A node has set-up and a move." "一个节点中既有摆子又有着法。"
        SetupWithoutLiberties "setup-without-liberties" "Set-up leaves stones without liberties." "摆子后有无气的棋子。"
        HandicapWithoutStones "handicap-without-stones" "A handicap is stated, but no stones are given." "写明了让子，却没有让子棋子。"
        HandicapMismatch "handicap-mismatch" "The stated handicap differs from the stones." "写明的让子数与棋子不符。"
        TooMuchSetup "too-much-setup" "There is too much set-up to follow on a board." "摆子太多，无法在棋盘上跟踪。"
        UnknownCharset "unknown-charset" "The stated charset is not known." "声明的字符集未知。"
        CharsetContradiction "charset-contradiction" "The stated charset is not the one of the file." "声明的字符集与文件不符。"
        CutCharacter "cut-character" "A character was cut in half." "字符被截断。"
        LostCharacters "lost-characters" "Characters were lost when the text was decoded." "解码时丢失了字符。"
        ForeignName "foreign-name" "A server uses this name for what another property says." "该属性名是某些服务器的写法，另有标准属性。"
        Blunder "blunder" "A review found a move that loses very much." "复盘发现损失很大的着法。"
        KomiInKo "komi-in-ko" "The komi stands in KO." "贴目写在了 KO 中。"
    }
    Information {
        FoxKomi "fox-komi" "The komi is counted as the Fox server does." "贴目按野狐服务器的方式计算。"
        HandicapAsMoves "handicap-as-moves" "Handicap stones are recorded as moves." "让子以着法的形式记录。"
        Mistake "mistake" "A review found a move that loses much." "复盘发现损失较大的着法。"
        OtherGame "other-game" "The record is of another game than Go." "棋谱不是围棋。"
        MoreFindings "more-findings" "There are more findings than are shown." "还有更多问题未显示。"
        StructureOnly "structure-only" "The record is so large that only its structure is checked." "棋谱过大，只检查结构。"
    }
    Hint {
        TextOutsideGame "text-outside-game" "Text outside of games is ignored." "棋局之外的文字被忽略。"
        EmptyNode "empty-node" "A node has no properties." "节点没有属性。"
        OldSpelling "old-spelling" "A name has lower-case letters, as before FF[4]." "属性名含小写字母，是 FF[4] 之前的写法。"
        UnknownProperty "unknown-property" "The property is not known." "未知属性。"
        OldProperty "old-property" "FF[4] no longer has this property." "FF[4] 已取消此属性。"
        FormatVersion "format-version" "The record uses properties of a later format than it states." "棋谱使用了比所声明版本更新的属性。"
        SinglePointRectangle "single-point-rectangle" "A rectangle is one point." "矩形只有一个点。"
        SquareSize "square-size" "A square size is written with two numbers." "方形棋盘大小写成了两个数。"
        MoveInRoot "move-in-root" "The root has a move." "根节点中有着法。"
        RepeatedPosition "repeated-position" "A move repeats a whole position." "着法使全局同形再现。"
        SameColorTwice "same-color-twice" "One side moves twice in a row." "同一方连下两手。"
        Inaccuracy "inaccuracy" "A review found a move that loses a little." "复盘发现略有损失的着法。"
        EditorCharset "editor-charset" "The stated charset is not the editor's UTF-8." "声明的字符集不是编辑器使用的 UTF-8。"
    }
    Off {
        OldPass "old-pass" "A pass is written as `tt`, as before FF[4]." "停着写作 `tt`，是 FF[4] 之前的写法。"
    }
}

impl Code {
    /// The code of this name.
    pub fn named(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.name() == name)
    }
}

/// Its name.
impl From<Code> for &'static str {
    fn from(code: Code) -> &'static str {
        code.name()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kebab_case_and_unlike() {
        for code in Code::ALL {
            assert!(code.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{code}");
            assert_eq!(Code::named(code.name()), Some(*code));
            assert!(code.about().en.ends_with('.') && code.about().zh.ends_with('。'), "{code}");
        }
    }
}
