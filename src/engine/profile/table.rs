//! What is known of each program: from its documentation, and from what it prints.

use super::{Perspective, Profile, Quirk, Symptom};
use crate::engine::gtp::analyze::Dialect;

/// What most programs have in common.
const USUAL: Profile = Profile {
    id: "",
    name: "",
    game: "go",
    protocol: "gtp",
    says: &[],
    version: "",
    files: &[],
    mode: &[],
    mode_words: &[],
    proposed: &[],
    dialect: Dialect::Plain,
    perspective: Perspective::SideToMove,
    quirks: &[],
    symptoms: &[],
};

const UCI: &[Symptom] = &[Symptom {
    text: &["Unknown command: name", "Unknown command: 'name", "No such option: name"],
    wrong: "it speaks UCI",
    mend: "kifud drives GTP engines; this program is for other games and other front ends",
}];

/// What KataGo says when its files are wrong, whichever way it is started.
const KATAGO_FILES: [Symptom; 4] = [
    Symptom {
        text: &["-model MODELFILENAME"],
        wrong: "KataGo has no neural net",
        mend: "name one with -model FILE.bin.gz",
    },
    Symptom {
        text: &["Error loading or parsing model file"],
        wrong: "KataGo cannot read its neural net",
        mend: "give the path of an existing net of its own format after -model",
    },
    Symptom {
        text: &["ConfigParsingError", "in config file", "Config file"],
        wrong: "KataGo does not accept its configuration file",
        mend: "mend the file that follows -config, or let `katago genconfig` write one",
    },
    Symptom {
        text: &["-config CONFIG_FILE", "Could not open file"],
        wrong: "a file that KataGo was told to read is missing",
        mend: "correct the paths after -model and -config",
    },
];

/// All known programs.
pub static ALL: &[Profile] = &[
    Profile {
        id: "katago",
        name: "KataGo",
        says: &["KataGo"],
        files: &["katago"],
        mode: &["gtp"],
        mode_words: &["gtp"],
        proposed: &["-model", "NET.bin.gz", "-config", "GTP.cfg"],
        // Its plain `analyze` was made for Sabaki: always with a decimal point.
        dialect: Dialect::Kata,
        symptoms: &[
            Symptom {
                text: &["gtp : Runs GTP engine", "Unknown subcommand: "],
                wrong: "it looks like KataGo started without `gtp`",
                mend: "the first of its arguments has to be `gtp`",
            },
            Symptom {
                text: &["could not parse input line as json", "numAnalysisThreads"],
                wrong: "it looks like KataGo started as its JSON analysis engine",
                mend: "the first of its arguments has to be `gtp`, not `analysis`",
            },
            KATAGO_FILES[0],
            KATAGO_FILES[1],
            KATAGO_FILES[2],
            KATAGO_FILES[3],
        ],
        ..USUAL
    },
    Profile {
        id: "katago-json",
        name: "KataGo",
        protocol: "katago-json",
        mode: &["analysis"],
        mode_words: &["analysis"],
        proposed: &["-model", "NET.bin.gz", "-config", "ANALYSIS.cfg"],
        dialect: Dialect::Kata,
        symptoms: &[
            Symptom {
                text: &["gtp : Runs GTP engine", "Unknown subcommand: "],
                wrong: "it looks like KataGo started without `analysis`",
                mend: "the first of its arguments has to be `analysis`",
            },
            Symptom {
                text: &["GTP Engine starting", "GTP ready", "'logAllGTPCommunication'"],
                wrong: "it looks like KataGo started as a GTP engine",
                mend: "the first of its arguments has to be `analysis`, not `gtp`",
            },
            KATAGO_FILES[0],
            KATAGO_FILES[1],
            KATAGO_FILES[2],
            KATAGO_FILES[3],
        ],
        ..USUAL
    },
    Profile {
        id: "leela-zero",
        name: "Leela Zero",
        says: &["Leela Zero"],
        files: &["leelaz", "leela-zero", "leelazero"],
        mode: &["--gtp"],
        mode_words: &["--gtp", "-g"],
        proposed: &["-w", "NET.txt.gz"],
        dialect: Dialect::Lz,
        quirks: &[Quirk::OverAfterTwoPasses],
        symptoms: &[
            Symptom {
                text: &["Leela: = "],
                wrong: "it looks like Leela Zero or Leela started without `--gtp`",
                mend: "add `--gtp` to its arguments",
            },
            Symptom {
                text: &["A network weights file is required"],
                wrong: "Leela Zero has no network",
                mend: "name one with -w FILE, or put it where its message says",
            },
            Symptom {
                text: &[
                    "Could not open weights file",
                    "Failed to parse weight file",
                    "Weights file is the wrong",
                ],
                wrong: "Leela Zero cannot read its network",
                mend: "give the path of an existing network after -w",
            },
        ],
        ..USUAL
    },
    Profile {
        id: "gnugo",
        name: "GNU Go",
        says: &["GNU Go"],
        files: &["gnugo"],
        mode: &["--mode", "gtp"],
        mode_words: &["gtp"],
        symptoms: &[Symptom {
            // Without a mode it speaks to a pipe in the older Go Modem Protocol.
            text: &["gnugo-gmp", "Cannot open or parse 'gtp'"],
            wrong: "it looks like GNU Go started without `--mode gtp`",
            mend: "add `--mode gtp` to its arguments",
        }],
        ..USUAL
    },
    Profile {
        id: "pachi",
        name: "Pachi",
        says: &["Pachi"],
        files: &["pachi"],
        dialect: Dialect::Lz,
        symptoms: &[Symptom {
            text: &["Could not Initialize SDL", "libSDL", "/usr/share/pachi/Tgfx"],
            wrong: "this is another game of the name Pachi, a platform game with a window (Debian's package \
                    `pachi`)",
            mend: "the Go engine is another program; build it from github.com/pasky/pachi and give its path",
        }],
        ..USUAL
    },
    Profile {
        id: "leela",
        name: "Leela",
        says: &["Leela"],
        files: &["leela"],
        mode: &["--gtp"],
        mode_words: &["--gtp", "-g"],
        dialect: Dialect::Lz,
        ..USUAL
    },
    Profile { id: "aq", name: "AQ", says: &["AQ"], files: &["aq"], ..USUAL },
    Profile { id: "ray", name: "Ray", says: &["Ray", "Rn"], files: &["ray"], dialect: Dialect::Lz, ..USUAL },
    Profile {
        id: "fairy-stockfish",
        name: "Fairy-Stockfish",
        game: "xiangqi",
        protocol: "uci",
        files: &["fairy-stockfish", "fairystockfish"],
        symptoms: UCI,
        ..USUAL
    },
    Profile {
        id: "pikafish",
        name: "Pikafish",
        game: "xiangqi",
        protocol: "uci",
        files: &["pikafish"],
        ..USUAL
    },
    Profile {
        id: "elephanteye",
        name: "ElephantEye",
        game: "xiangqi",
        protocol: "ucci",
        files: &["eleeye", "elephanteye"],
        ..USUAL
    },
    Profile {
        id: "kifud",
        name: "kifud demo engine",
        says: &[crate::gtp_engine::NAME],
        mode: &["gtp"],
        mode_words: &["gtp"],
        dialect: Dialect::Kata,
        quirks: &[Quirk::Demo],
        ..USUAL
    },
];

/// What any program may say.
pub static ANY: &[Symptom] = &[
    Symptom {
        text: &["error while loading shared libraries", "Library not loaded"],
        wrong: "a library that it needs is not installed",
        mend: "install it, or name its folder in LD_LIBRARY_PATH under env",
    },
    Symptom {
        text: &[
            "cannot open display",
            "Can't open display",
            "could not connect to display",
            "No available video device",
        ],
        wrong: "it wants to open a window",
        mend: "this is no engine, or it needs an option that makes it speak GTP",
    },
    Symptom {
        text: &["clGetPlatformIDs", "No OpenCL", "CL_PLATFORM_NOT_FOUND", "No available GPU"],
        wrong: "it finds no OpenCL device",
        mend: "install an OpenCL driver, or take a build of the program for the processor",
    },
];
