//! A turn on the terminal: text as it comes, tools and notices beside it.

use crate::cli::{
    exit::Failure,
    follow::Sight,
    paper::{
        Paper,
        words::{clip, safe},
    },
};

/// Where a turn is shown.
pub struct Screen {
    paper: Paper,
    /// Whether the cursor stands behind text.
    open: bool,
}

impl Screen {
    /// An empty screen.
    pub fn new(paper: Paper) -> Self {
        Self { paper, open: false }
    }

    /// Shows the next thing.
    pub fn show(&mut self, sight: &Sight) -> Result<(), Failure> {
        if self.paper.json {
            return Ok(());
        }
        match sight {
            Sight::Text(text) if !text.is_empty() => {
                self.open = !text.ends_with('\n');
                self.paper.write(&safe(text))
            }
            Sight::Whole | Sight::Settled(_) => self.end(),
            Sight::Tool(tool, arguments) => {
                self.end()?;
                self.paper.note(self.paper.dim_note(safe(&format!("→ {tool} {}", clip(arguments, 100)))));
                Ok(())
            }
            Sight::Notice(text) => {
                self.end()?;
                self.paper.note(self.paper.dim_note(safe(text)));
                Ok(())
            }
            Sight::Begun(_) | Sight::Text(_) => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), Failure> {
        if std::mem::take(&mut self.open) { self.paper.write("\n") } else { Ok(()) }
    }
}
