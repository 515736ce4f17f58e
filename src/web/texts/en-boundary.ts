export const boundaryTexts = {
  title: 'This part failed to render',
  text: 'The rest of the page works and polling continues. Retry; if that does not help, see the details.',
  rootTitle: 'This page failed to render',
  rootText: 'Polling continues. Retry or reload this page; if that does not help, see the details.',
  notStartedTitle: 'Not started: another program controls this address',
  notStartedText:
    'Another program that used this address left a service worker, which could answer in place of the dashboard server. Close all other tabs that are open at this address, then reload this page. If that does not help, clear this site’s data in the browser’s settings, which also deletes the keys that are stored here.',
  details: 'Details',
  report: 'Report, without keys',
  retry: 'Retry',
  missingTitle: 'This part of the page failed to load',
  missingText:
    'The dashboard server did not deliver the code. The rest works and polling continues. Reload this page once the server answers.',
  reload: 'Reload page',
} as const
