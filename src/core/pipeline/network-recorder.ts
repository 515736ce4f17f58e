import type { Clock } from '#base/clock.ts'
import { isJsonObject } from '#base/json.ts'
import { networkFigures } from '#fleet/network-metrics.ts'
