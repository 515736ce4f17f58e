/** Parts that the first rows do not need, in one chunk and so one request. */
export { FleetOverview } from './fleet-overview.tsx'
export { FleetTools } from './fleet-tools.tsx'
export { NodesGrid } from './nodes-grid.tsx'
export { SelectionBar } from './selection-bar.tsx'
