/** The sections of the settings, as they stand below each other and in the address. */
export const SECTIONS = ['services', 'signing', 'nodes', 'key', 'display', 'storage', 'about'] as const
export type Section = (typeof SECTIONS)[number]

/** The section that a path such as "/settings/key" names; the first one where it names none. */
export const sectionOf = (path: string): Section => {
  const name = path.split('/')[2] ?? ''
  return SECTIONS.find((section) => section === name) ?? SECTIONS[0]
}

export const headingId = (section: Section): string => `settings-${section}`
