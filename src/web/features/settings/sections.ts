/** The sections of the settings, as they stand in the navigation and in the address; each is a page. */
export const SECTION_GROUPS = {
  connection: ['services', 'signing', 'key'],
  watching: ['nodes', 'units', 'notifications'],
  screen: ['display'],
  copy: ['document', 'storage'],
} as const

export type SectionGroup = keyof typeof SECTION_GROUPS
export type Section = (typeof SECTION_GROUPS)[SectionGroup][number]

const SECTIONS: readonly Section[] = Object.values(SECTION_GROUPS).flat()

/** The section that a path such as "/settings/key" names; the first one where it names none, undefined where it names an unknown one. */
export const sectionOf = (path: string): Section | undefined => {
  const name = path.split('/')[2] ?? ''
  return name === '' ? 'services' : SECTIONS.find((section) => section === name.toLowerCase())
}

export const headingId = (section: Section): string => `settings-${section}`
