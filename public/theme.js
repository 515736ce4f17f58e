// Runs before the first paint. It is a separate file, because the page's policy forbids inline scripts.
;(function () {
  try {
    const { theme, contrast } = JSON.parse(localStorage.getItem('immune-settings') || '{}').display || {}
    if (/^(dark|light)$/.test(theme)) document.documentElement.dataset.theme = theme
    if (/^(more|normal)$/.test(contrast)) document.documentElement.dataset.contrast = contrast
  } catch {
    // If storage is blocked (as in a private window) or has no settings, the page follows the system's theme.
  }
  const high = window.matchMedia('(prefers-contrast: more)')
  const follow = () => {
    document.documentElement.dataset.systemContrast = high.matches ? 'more' : 'normal'
  }
  follow()
  high.addEventListener('change', follow)
})()
