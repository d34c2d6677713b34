//! under way
