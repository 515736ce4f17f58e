/** What the first rows are drawn without: one part, and so one request. */
export { FleetOverview } from './fleet-overview.tsx'
export { FleetTools } from './fleet-tools.tsx'
export { NodesGrid } from './nodes-grid.tsx'
export { SelectionBar } from './selection-bar.tsx'
