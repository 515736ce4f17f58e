export const engineTexts = {
  otherVersion: (version: string | undefined): string =>
    version === undefined ? 'Another version is polling' : `Version ${version} is polling`,
  otherVersionText:
    'Another tab runs a different version of this dashboard. Reload all tabs to use one version, or close the other tabs so that this one polls.',
  otherTab: 'Another tab is polling',
  otherTabText:
    'This browser can’t share the engine between tabs, so only one tab polls. This tab starts polling once the other one is closed.',
  reload: 'Reload',
} as const
