/** In the place of a part of the page that failed to draw. */
export const boundaryTexts = {
  title: 'This part could not be drawn',
  text: 'The rest of the page goes on, and so does the watching. Drawing it again usually helps; if it does not, the details below say what happened.',
  rootTitle: 'This page could not be drawn',
  rootText:
    'Watching goes on, but nothing of it can be shown. Drawing it again or reloading the page usually helps; if it does not, the details below say what happened.',
  details: 'Details',
  retry: 'Draw again',
  missingTitle: 'This part of the page could not be fetched',
  missingText:
    'Its code did not come from the server of this dashboard. Whatever else is on screen goes on, and so does the watching. Load the page again once that server answers; a browser does not fetch it anew before.',
  reload: 'Load the page again',
} as const
