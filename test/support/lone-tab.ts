import type { TabWorld } from '#engine/tab-engine.ts'

/** The only tab of its browser: it has the lock as soon as it asks. */
export function loneTab(): TabWorld {
  const id = '0123456789abcdef'
  return {
    id,
    build: 'test',
    random: () => 0.5,
    lock: {
      request: (_, { granted }) => {
        queueMicrotask(granted)
        return () => undefined
      },
      look: (told) => told({ mine: true, tabs: new Set([id]) }),
    },
    openChannel: () => ({ post: () => undefined, close: () => undefined }),
  }
}
