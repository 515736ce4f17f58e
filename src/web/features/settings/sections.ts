/** Sections of the settings, each a page; the names appear in the navigation and in the URL. */
export const SECTION_GROUPS = {
  connection: ['services', 'signing', 'key'],
  watching: ['nodes', 'units', 'notifications'],
  screen: ['display'],
  copy: ['document', 'storage'],
} as const

export type SectionGroup = keyof typeof SECTION_GROUPS
export type Section = (typeof SECTION_GROUPS)[SectionGroup][number]

const SECTIONS: readonly Section[] = Object.values(SECTION_GROUPS).flat()

/** The section of a path such as "/settings/key"; the first section if none is named, undefined if it is unknown. */
export const sectionOf = (path: string): Section | undefined => {
  const name = path.split('/')[2] ?? ''
  return name === '' ? 'services' : SECTIONS.find((section) => section === name.toLowerCase())
}

export const headingId = (section: Section): string => `settings-${section}`
