"""What both servers of the apps share: their options, headers, files and small pages."""
