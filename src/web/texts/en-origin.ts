import type { Origin } from '#settings/effective.ts'
import { formatCount } from './format.ts'

export function originText(from: Origin): string {
  switch (from.kind) {
    case 'default':
      return 'default'
    case 'detected':
      return from.readings === 1
        ? 'detected from 1 reading'
        : `detected from at least ${formatCount(from.readings)} readings`
    case 'tag':
      return `set for tag ${from.tag}${byText(from.by)}`
    case 'service':
      return `set for the service${byText(from.by)}`
    case 'node':
      return `set for this node${byText(from.by)}`
  }
}

const byText = (by: 'config' | 'browser'): string => (by === 'config' ? ' in the server configuration' : '')
