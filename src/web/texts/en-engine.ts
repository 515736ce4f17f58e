export const engineTexts = {
  otherVersion: (version: string | undefined): string =>
    version === undefined ? 'Another version polls' : `Version ${version} polls`,
  otherVersionText:
    'Another tab runs another version of this dashboard. Reload all tabs to use one version. This tab polls when the others are closed.',
  otherTab: 'Another tab polls',
  otherTabText: 'This browser runs one engine for each tab. This tab polls when the other one is closed.',
  reload: 'Reload',
} as const
