import { begin } from './begin.tsx'

await begin()
