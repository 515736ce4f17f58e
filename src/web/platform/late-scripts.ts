import { SITE } from './site.ts'

/**
 * Loads all scripts of this build that the page has not needed yet, as listed in the page. Otherwise a tab that stays open for
 * weeks would miss files that a deploy removed. Rejects if a script cannot be loaded.
 */
export async function loadLateScripts(): Promise<void> {
  const listed = document.querySelector<HTMLMetaElement>('meta[name="late-scripts"]')?.content ?? ''
  for (const script of listed.split(' ').filter(Boolean)) await import(/* @vite-ignore */ `${SITE}${script}`)
}
