/** Has each part of the page that is fetched when it is drawn, so that a test need not wait for it. */
export const loadLateParts = async (): Promise<void> => {
  const parts = import.meta.glob([
    '/src/web/features/*/*-{page,rest}.{ts,tsx}',
    '/src/web/ui/chart/strip-chart.tsx',
  ])
  await Promise.all(Object.values(parts).map((load) => load()))
}
