// Runs before the first paint, as a file of its own because the page's policy forbids inline scripts.
;(function () {
  try {
    const { theme, contrast } = JSON.parse(localStorage.getItem('immune-settings') || '{}').display || {}
    if (/^(dark|light)$/.test(theme)) document.documentElement.dataset.theme = theme
    if (/^(more|normal)$/.test(contrast)) document.documentElement.dataset.contrast = contrast
  } catch {
    // Storage is refused (a private window, say) or holds no settings: the system's look stands.
  }
  const high = window.matchMedia('(prefers-contrast: more)')
  const follow = () => {
    document.documentElement.dataset.systemContrast = high.matches ? 'more' : 'normal'
  }
  follow()
  high.addEventListener('change', follow)
})()
