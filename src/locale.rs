//! The languages that kifud speaks to people.

/// The language of what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Locale {
    /// English.
    #[default]
    English,
    /// 简体中文.
    Chinese,
}

impl Locale {
    /// From a language tag (RFC 5646) such as `zh-CN`; anything but Chinese is English.
    pub fn of_tag(tag: &str) -> Locale {
        let zh = tag.get(..2).is_some_and(|language| language.eq_ignore_ascii_case("zh"));
        if zh { Locale::Chinese } else { Locale::English }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags() {
        for (tag, expected) in [
            ("zh-CN", Locale::Chinese),
            ("ZH", Locale::Chinese),
            ("en-GB", Locale::English),
            ("z", Locale::English),
            ("", Locale::English),
            ("é", Locale::English),
        ] {
            assert_eq!(Locale::of_tag(tag), expected, "{tag}");
        }
    }
}
