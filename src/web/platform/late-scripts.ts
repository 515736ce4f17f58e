import { SITE } from './site.ts'

/**
 * Runs each script of this build that the page has not needed yet, as the build lists them in the page: a tab that is
 * open for weeks finds every page after a deploy took its files away. Rejects where one can't be had.
 */
export async function loadLateScripts(): Promise<void> {
  const listed = document.querySelector<HTMLMetaElement>('meta[name="late-scripts"]')?.content ?? ''
  for (const script of listed.split(' ').filter(Boolean)) await import(/* @vite-ignore */ `${SITE}${script}`)
}
