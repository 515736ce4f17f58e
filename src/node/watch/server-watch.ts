import { ok, type Result } from '#base/result.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createHttpTransport } from '#node/http-transport.ts'
import type { RunningWatch, WatchRequest } from '#server/serve.ts'
import { EMPTY_SETTINGS, effectiveConfig } from '#settings/effective.ts'
import type { ServerConfig } from '#settings/schema.ts'
import { followConfig } from './follow-config.ts'
import { lockFolder } from './folder-lock.ts'
import { diskFiles } from './state-file.ts'
import { createWatch } from './watch.ts'
import { createWatchPost } from './watch-post.ts'

/** The same limit per host as a collector's default. */
const IN_FLIGHT = 64

/** The watch of `serve`: it polls itself, with the server's keys. The error is one line. */
export function startServerWatch(request: WatchRequest): Result<RunningWatch, string> {
  const { clock, folder, file, canPoll, report } = request
  const lock = lockFolder(folder, clock, () => {
    report(`Another process has taken over ${folder}. This server has stopped polling and notifying.`)
    stop()
  })
  if (!lock.ok) return lock
  const transport = createHttpTransport(clock, IN_FLIGHT)
  const { post, close } = createWatchPost({ clock, deliver: request.deliver, receivers: file.receivers })
  const watch = createWatch({
    ...request,
    transport: transport.send,
    inFlightMax: IN_FLIGHT,
    metrics: METRICS,
    files: diskFiles(folder),
    onError: (error) => report(`Internal error: ${String(error)}`),
    post,
  })
  const following = followConfig(clock, file.current, (config) => {
    for (const { baseUrl } of config.services.filter((service) => !canPoll(service)))
      report(
        `${baseUrl}: not polled, because this server has no key for it (--sign-key SOURCE), or because it requires a token, which only collect can send.`,
      )
    watch.configure(polledConfig(config, canPoll), file.receivers())
  })
  watch.start()
  const stop = (): void => {
    following.end()
    watch.stop()
  }
  return ok({
    watch,
    reload: following.check,
    stop: async () => {
      stop()
      close()
      await transport.close()
      lock.value.release()
    },
  })
}

function polledConfig(config: ServerConfig, canPoll: WatchRequest['canPoll']) {
  const { services, nodes, rules, alarms } = effectiveConfig(config, EMPTY_SETTINGS)
  return {
    serverUrl: '',
    services: services.filter(canPoll).map((service) => ({ ...service, via: 'direct' as const })),
    nodes,
    rules,
    alarms,
  }
}
