/**
 * A browser's locks, with a view for each client. Supports exclusive locks only, which it grants in a later turn. A
 * client that ends releases all its locks and gets no more callbacks.
 */
export function fakeLocks() {
  type Claim = {
    readonly name: string
    readonly client: string
    readonly hold: () => Promise<unknown>
    readonly rob: () => void
    isHeld: boolean
  }
  let claims: readonly Claim[] = []
  const gone = new Set<string>()

  const grant = (): void => {
    const names = new Set(claims.map(({ name }) => name))
    for (const name of names) {
      const first = claims.find((claim) => claim.name === name)
      if (first === undefined || first.isHeld) continue
      first.isHeld = true
      const release = (): void => drop((claim) => claim === first)
      queueMicrotask(() => {
        if (claims.includes(first)) void first.hold().then(release, release)
      })
    }
  }
  const drop = (isGone: (claim: Claim) => boolean): void => {
    claims = claims.filter((claim) => !isGone(claim))
    grant()
  }

  return {
    of: (client: string): Pick<LockManager, 'request' | 'query'> => ({
      request: async (name: string, ...rest: unknown[]) => {
        const given = rest.at(-1)
        const hold = typeof given === 'function' ? given : () => undefined
        const options: LockOptions = rest.length > 1 ? Object(rest[0]) : {}
        return new Promise<never>((resolve, reject) => {
          const aborted = (): void => {
            if (!gone.has(client)) reject(new DOMException('aborted', 'AbortError'))
          }
          const claim: Claim = {
            name,
            client,
            isHeld: false,
            hold: async () => {
              const held: unknown = await hold(null)
              resolve(held as never)
            },
            rob: aborted,
          }
          if (options.steal === true) {
            const robbed = claims.find((one) => one.name === name && one.isHeld)
            claims = [claim, ...claims.filter((one) => one !== robbed)]
            robbed?.rob()
          } else claims = [...claims, claim]
          options.signal?.addEventListener('abort', () => {
            if (claim.isHeld || !claims.includes(claim)) return
            drop((one) => one === claim)
            aborted()
          })
          grant()
        })
      },
      query: async () => ({
        held: claims.filter(({ isHeld }) => isHeld).map(({ name, client: clientId }) => ({ name, clientId })),
        pending: [],
      }),
    }),
    /** Simulates that the client crashed or was closed. */
    end: (client: string): void => {
      gone.add(client)
      drop((claim) => claim.client === client)
    },
    isHeld: (name: string): boolean => claims.some((claim) => claim.name === name && claim.isHeld),
  }
}
