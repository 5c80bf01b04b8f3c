//! Where handicap stones go.

use crate::go::{Point, Size};

/// The points of `fixed_handicap` in GTP's order: 2 to 9 on boards with odd sides of at least 7, 2 to 4 on
/// others of at least 7; `None` if there is no such handicap.
pub fn fixed(size: Size, stones: usize) -> Option<Vec<Point>> {
    let (width, height) = (size.width(), size.height());
    if width.min(height) < 7 {
        return None;
    }
    let line = |side: u8| if side < 13 { 2 } else { 3 };
    let (left, right) = (line(width), width - 1 - line(width));
    let (top, bottom) = (line(height), height - 1 - line(height));
    let (middle, centre) = (width / 2, height / 2);
    let most = if width % 2 == 1 && height % 2 == 1 && width > 7 && height > 7 { 9 } else { 4 };
    if !(2..=most).contains(&stones) {
        return None;
    }
    let mut points = vec![
        Point::new(left, bottom),
        Point::new(right, top),
        Point::new(left, top),
        Point::new(right, bottom),
    ];
    let sides = [
        Point::new(left, centre),
        Point::new(right, centre),
        Point::new(middle, top),
        Point::new(middle, bottom),
    ];
    points.truncate(stones);
    if stones >= 6 {
        points.extend_from_slice(&sides[..if stones >= 8 { 4 } else { 2 }]);
    }
    if matches!(stones, 5 | 7 | 9) {
        points.push(Point::new(middle, centre));
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Vertex;

    fn text(side: u8, stones: usize) -> Option<String> {
        let size = Size::square(side).unwrap();
        let spell = |point: Point| Vertex::At(point).to_gtp(size);
        Some(fixed(size, stones)?.into_iter().map(spell).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn points_of_the_protocol() {
        // The figure in the GTP version 2 draft, section 4.1.1.
        assert_eq!(text(19, 2).unwrap(), "D4 Q16");
        assert_eq!(text(19, 5).unwrap(), "D4 Q16 D16 Q4 K10");
        assert_eq!(text(19, 9).unwrap(), "D4 Q16 D16 Q4 D10 Q10 K16 K4 K10");
        assert_eq!(text(9, 4).unwrap(), "C3 G7 C7 G3");
        assert_eq!(text(7, 4).unwrap(), "C3 E5 C5 E3");
        assert_eq!(text(7, 5), None);
        assert_eq!(text(8, 5), None);
        assert_eq!(text(19, 1), None);
        assert_eq!(text(5, 2), None);
    }
}
