/** Loads every lazy component of the page in advance, so that a test need not wait for one. */
export const loadLateParts = async (): Promise<void> => {
  const parts = import.meta.glob([
    '/src/web/features/*/*-{page,rest}.{ts,tsx}',
    '/src/web/ui/chart/strip-chart.tsx',
  ])
  await Promise.all(Object.values(parts).map((load) => load()))
}
