import { ok, type Result } from '#base/result.ts'
import type { Delivered, DeliveryFailure } from '#delivery/delivery-queue.ts'
import { METRICS } from '#metrics/metrics.ts'
import { parseReceiver } from '#settings/documents.ts'
import { nodes, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { valueOf } from '#test/support/value-of.ts'
import type { WatchFiles } from '#watch/state-file.ts'
import { createWatch } from '#watch/watch.ts'

export const HOOK = 'https://hook.example/alarms'

const receiver = valueOf(parseReceiver({ kind: 'webhook', url: HOOK }))

/** A disk that can fail before or after a write of the file `counted`, and then at every write. */
export function memoryDisk(counted: string) {
  const texts = new Map<string, string>()
  let writes = 0
  const open = (dies: (write: number) => 'before' | 'after' | undefined = () => undefined) => {
    let isDead = false
    const written = (name: string, text: string): void => {
      if (isDead) throw new Error('killed')
      const when = name === counted ? dies(++writes) : undefined
      isDead = when !== undefined
      if (when !== 'before') texts.set(name, text)
      if (isDead) throw new Error('killed')
    }
    const files: WatchFiles = {
      read: (name) => texts.get(name),
      replace: written,
      append: (name, text) => written(name, (texts.get(name) ?? '') + text),
    }
    return { files, isDead: () => isDead }
  }
  return { texts, open, writes: () => writes }
}

type World = { status: number }

/** A watch of one node on a fake clock; `world.status` is the HTTP status of its service. */
export function openWatch(
  { files, isDead }: ReturnType<ReturnType<typeof memoryDisk>['open']>,
  world: World,
  clock = createFakeClock(),
  accept: (body: unknown) => Result<Delivered, DeliveryFailure> = () => ok({ status: 200, answer: '' }),
) {
  const reports: string[] = []
  const watch = createWatch({
    clock,
    transport: async () => {
      const last_heartbeat = Math.floor(clock.wallMs() / 1_000) - 5
      return ok({ status: world.status, body: record('0x0001', { last_heartbeat }) })
    },
    signer: { signStatusRequest: async () => ok({ headers: {}, query: 'node_id=0x0001' }) },
    inFlightMax: 8,
    metrics: METRICS,
    files,
    post: async ({ body }) => (isDead() ? new Promise(() => undefined) : accept(JSON.parse(body))),
    dashboardUrl: 'https://dash.example',
    report: (line) => reports.push(line),
    onError: (error) => reports.push(String(error)),
  })
  watch.configure({ serverUrl: '', services: [service({ pollIntervalMs: 2_000 })], nodes: nodes(1) }, [
    receiver,
  ])
  watch.start()
  return { watch, clock, reports }
}
