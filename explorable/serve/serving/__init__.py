"""What a public server of the apps needs beyond Voila: guards, limits, headers, kind pages."""
