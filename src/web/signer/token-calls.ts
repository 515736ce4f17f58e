import { err, ok } from '#base/result.ts'
import type { TokenRing } from '#keys/token-ring.ts'
import type { ServiceId } from '#record/service.ts'
import { bytesOf, serviceOf, tokenPlaceOf } from './arguments.ts'
import type { SomeCalls } from './offered.ts'

/** The part of a page's calls that is about tokens. One can be given and forgotten, and not read. */
export const tokenCalls = (tokens: TokenRing, isConfigured: (id: ServiceId) => boolean) =>
  ({
    tokens: async () => tokens.list(),
    keepToken: async ([id, token, place]) => {
      const bytes = bytesOf(token)
      const serviceId = serviceOf(id)
      if (serviceId !== undefined && isConfigured(serviceId))
        return tokens.keep(serviceId, bytes, tokenPlaceOf(place))
      bytes.fill(0)
      return err('not-configured')
    },
    forgetToken: async ([id]) => {
      const serviceId = serviceOf(id)
      return serviceId === undefined ? ok(undefined) : tokens.forget(serviceId)
    },
  }) satisfies SomeCalls
