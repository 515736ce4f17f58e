/*
 * The soak prepends this plain script, read as text, to the scripts of the page and of both Workers. It controls time,
 * which is the same in all three, and counts open resources. Time runs freely until `stop`. After that it advances only
 * in `run`, which fires each timer at its due time and continues when no work is in progress.
 */
;(() => {
  const config = SOAK_CONFIG
  const leaks = config.leaks
  const origin = performance.timeOrigin
  const native = {
    now: performance.now.bind(performance),
    setTimeout: globalThis.setTimeout.bind(globalThis),
    clearTimeout: globalThis.clearTimeout.bind(globalThis),
    fetch: globalThis.fetch.bind(globalThis),
    addEventListener: EventTarget.prototype.addEventListener,
    removeEventListener: EventTarget.prototype.removeEventListener,
    postMessage: MessagePort.prototype.postMessage,
    abortTimeout: AbortSignal.timeout.bind(AbortSignal),
    Date: globalThis.Date,
    MessageChannel: globalThis.MessageChannel,
  }

  // --- Time

  let isFree = true
  let baseMs = origin + native.now() + config.aheadMs
  let sinceMs = native.now()
  const now = () => (isFree ? baseMs + native.now() - sinceMs : baseMs)
  const raise = (toMs) => {
    if (toMs <= now()) return
    baseMs = toMs
    sinceMs = native.now()
  }

  const timers = new Map()
  let lastId = 0
  let pump
  const earliest = () => {
    let found
    for (const timer of timers.values()) if (found === undefined || timer.dueMs < found.dueMs) found = timer
    return found
  }
  const arm = () => {
    native.clearTimeout(pump)
    if (!isFree) return
    const next = earliest()
    if (next !== undefined) pump = native.setTimeout(fireDue, Math.max(0, next.dueMs - now()))
  }
  const fire = (timer) => {
    if (timer.everyMs === undefined) timers.delete(timer.id)
    else timer.dueMs = Math.max(timer.dueMs + timer.everyMs, now())
    timer.run()
  }
  const fireDue = () => {
    const untilMs = now()
    for (let next = earliest(); next !== undefined && next.dueMs <= untilMs; next = earliest()) {
      fire(next)
    }
    arm()
  }
  const add = (run, delayMs, args, isInterval) => {
    const id = ++lastId
    const waitMs = Math.max(0, Number(delayMs) || 0)
    timers.set(id, {
      id,
      dueMs: now() + waitMs,
      everyMs: isInterval ? Math.max(1, waitMs) : undefined,
      run: () => run(...args),
    })
    arm()
    return id
  }
  const remove = (id) => {
    timers.delete(id)
    arm()
  }
  globalThis.setTimeout = (run, delayMs, ...args) => add(run, delayMs, args, false)
  globalThis.setInterval = (run, delayMs, ...args) => add(run, delayMs, args, true)
  globalThis.clearTimeout = remove
  globalThis.clearInterval = remove
  AbortSignal.timeout = (delayMs) => {
    const controller = new AbortController()
    add(() => controller.abort(new DOMException('signal timed out', 'TimeoutError')), delayMs, [], false)
    return controller.signal
  }
  Object.defineProperty(performance, 'now', { value: () => now() - origin })
  globalThis.Date = new Proxy(native.Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [Math.floor(now())] : args, newTarget),
    apply: () => new native.Date(now()).toString(),
    get: (target, key) => (key === 'now' ? () => Math.floor(now()) : Reflect.get(target, key)),
  })

  // --- Work in progress

  const PATIENCE_MS = 4_000
  const POLL_MS = 30_000
  const SECOND_TRY_MS = 5_000
  const FAR_MS = 20 * 86_400_000
  /** Database writes and rendering callbacks may overlap with the next step. */
  const LAGGING = new Set(['database', 'callback'])
  const ops = new Set()
  let step = 0
  let wake = () => undefined
  const begin = (kind) => {
    const op = { kind, step, sinceMs: native.now() }
    ops.add(op)
    return () => {
      if (ops.delete(op)) wake()
    }
  }
  const track = (kind, promise) => {
    const end = begin(kind)
    promise.then(end, end)
    return promise
  }
  const countOf = (kind) => Array.from(ops).filter((op) => op.kind === kind).length
  const isBusy = (networkPatienceMs, mayLag) => {
    const at = native.now()
    for (const { kind, step: beganIn, sinceMs: began } of ops) {
      if (mayLag && beganIn === step && LAGGING.has(kind)) continue
      if (at - began < (kind === 'network' ? networkPatienceMs : PATIENCE_MS)) return true
    }
    return false
  }
  const trackMethods = (kind, owner, names) => {
    if (owner === undefined) return
    for (const name of names) {
      const method = owner[name]
      if (typeof method !== 'function') continue
      owner[name] = function tracked(...args) {
        return track(kind, Reflect.apply(method, this, args))
      }
    }
  }
  const { port1, port2 } = new native.MessageChannel()
  let turned = () => undefined
  port2.addEventListener('message', () => turned())
  port2.start()
  const turn = () =>
    new Promise((done) => {
      turned = done
      Reflect.apply(native.postMessage, port1, [undefined])
    })
  const quiet = async (networkPatienceMs, mayLag) => {
    for (let calm = 0; calm < 3;) {
      await turn()
      if (!isBusy(networkPatienceMs, mayLag)) calm++
      else {
        calm = 0
        await new Promise((done) => {
          wake = done
          native.setTimeout(done, 10)
        })
      }
    }
  }

  trackMethods('crypto', globalThis.SubtleCrypto?.prototype, [
    'sign',
    'verify',
    'digest',
    'importKey',
    'exportKey',
    'deriveBits',
    'deriveKey',
    'encrypt',
    'decrypt',
    'generateKey',
  ])
  trackMethods('storage', globalThis.StorageManager?.prototype, ['estimate', 'persisted', 'persist'])
  trackMethods('locks', globalThis.LockManager?.prototype, ['query'])
  trackMethods('network', globalThis.ReadableStreamDefaultReader?.prototype, ['read'])
  trackMethods('network', globalThis.Response?.prototype, ['text', 'json', 'arrayBuffer', 'blob'])

  const once = (target, types, run) => {
    for (const type of types) Reflect.apply(native.addEventListener, target, [type, run, { once: true }])
  }
  let connections = 0
  const factory = IDBFactory.prototype
  for (const name of ['open', 'deleteDatabase']) {
    const method = factory[name]
    factory[name] = function tracked(...args) {
      const request = Reflect.apply(method, this, args)
      const end = begin('database')
      once(request, ['success', 'error', 'blocked'], end)
      if (name === 'open')
        once(request, ['success'], () => {
          connections++
          const database = request.result
          const close = database.close.bind(database)
          let isOpen = true
          const closed = () => {
            if (isOpen) connections--
            isOpen = false
          }
          once(database, ['close'], closed)
          database.close = () => {
            closed()
            close()
          }
        })
      return request
    }
  }
  const transaction = IDBDatabase.prototype.transaction
  IDBDatabase.prototype.transaction = function tracked(...args) {
    const made = Reflect.apply(transaction, this, args)
    once(made, ['complete', 'abort'], begin('database'))
    return made
  }

  // --- Calls between page and Workers carry the time, so that no receiver lags behind its sender

  /** Comlink's types of requests. */
  const REQUESTS = new Set(['GET', 'SET', 'APPLY', 'CONSTRUCT', 'ENDPOINT', 'RELEASE'])
  const calls = new Map()
  const watched = new WeakSet()
  const watch = (port) => {
    if (watched.has(port)) return
    watched.add(port)
    Reflect.apply(native.addEventListener, port, [
      'message',
      ({ data }) => {
        if (typeof data !== 'object' || data === null) return
        if (typeof data.soakMs === 'number') raise(data.soakMs)
        calls.get(data.id)?.()
        calls.delete(data.id)
      },
    ])
  }
  MessagePort.prototype.postMessage = function timed(data, ...rest) {
    if (typeof data !== 'object' || data === null || typeof data.id !== 'string')
      return Reflect.apply(native.postMessage, this, [data, ...rest])
    watch(this)
    // A call without a path goes to a proxied callback.
    if (REQUESTS.has(data.type)) calls.set(data.id, begin(data.path?.length > 0 ? 'call' : 'callback'))
    return Reflect.apply(native.postMessage, this, [{ ...data, soakMs: now() }, ...rest])
  }

  // --- Listeners on targets that are still alive

  let targets = new Set()
  let countOfTarget = new WeakMap()
  const keyOf = (options) => (typeof options === 'boolean' ? options : (options?.capture ?? false))
  const listenersOf = (target) => {
    const known = countOfTarget.get(target)
    if (known !== undefined) return known
    const made = new Map()
    countOfTarget.set(target, made)
    targets.add(new WeakRef(target))
    if (targets.size > 20_000)
      targets = new Set(Array.from(targets).filter((ref) => ref.deref() !== undefined))
    return made
  }
  EventTarget.prototype.addEventListener = function counted(type, listener, options) {
    const target = this ?? globalThis
    const isPassing = typeof options === 'object' && options !== null && (options.once || options.signal)
    if (target instanceof MessagePort && type === 'message') watch(target)
    if (listener && !isPassing) {
      const ofTarget = listenersOf(target)
      const key = `${type} ${keyOf(options)}`
      const known = ofTarget.get(key) ?? new Set()
      known.add(listener)
      ofTarget.set(key, known)
    }
    return Reflect.apply(native.addEventListener, target, [type, listener, options])
  }
  EventTarget.prototype.removeEventListener = function counted(type, listener, options) {
    const target = this ?? globalThis
    countOfTarget
      .get(target)
      ?.get(`${type} ${keyOf(options)}`)
      ?.delete(listener)
    return Reflect.apply(native.removeEventListener, target, [type, listener, options])
  }
  const listeners = () => {
    let count = 0
    for (const ref of targets) {
      const target = ref.deref()
      if (target === undefined) targets.delete(ref)
      else for (const known of countOfTarget.get(target).values()) count += known.size
    }
    return count
  }

  let channels = 0
  let workers = 0
  const counted = (name, onMake) => {
    const Native = globalThis[name]
    if (Native === undefined) return
    globalThis[name] = new Proxy(Native, {
      construct: (target, args, newTarget) => {
        const made = Reflect.construct(target, args, newTarget)
        onMake(made)
        return made
      },
    })
  }
  counted('SharedWorker', () => workers++)
  counted('Worker', () => workers++)
  counted('BroadcastChannel', (made) => {
    channels++
    const close = made.close.bind(made)
    made.close = () => {
      channels--
      close()
    }
  })

  // --- Requests wait until the service's clock shows the same time

  let held = []
  const leaked = new Map()
  let leakedMs
  let signed = 0
  /** When a signed request to each address was last refused. */
  const refusedMs = new Map()
  globalThis.fetch = (input, init) => {
    const isSigned = init?.headers?.Authorization !== undefined
    const [address] = String(input).split('?')
    // A refused poll may be signed once more with the service's time. It is still one poll with one record.
    if (isSigned && !(now() - refusedMs.get(address) < SECOND_TRY_MS)) signed++
    if (isSigned) refusedMs.delete(address)
    if (leaks.includes('map'))
      leaked.set(`${String(input)} ${leaked.size}`, { atMs: now(), url: String(input) })
    if (leaks.includes('listener')) addEventListener(`leak`, () => leaked.has(input) && now())
    if (leaks.includes('timer')) setTimeout(() => leaked.has(input), FAR_MS)
    const options = leaks.includes('deadline') && init !== undefined ? { ...init, signal: undefined } : init
    const sent = async () => {
      const answer = await native.fetch(input, options)
      if (isSigned && answer.status === 401) refusedMs.set(address, now())
      return answer
    }
    const go = () => track('network', sent())
    if (isFree || config.realm === 'page') return go()
    return new Promise((done, failed) => {
      held.push({ isSigned, send: () => go().then(done, failed) })
    })
  }

  const state = () => ({ nowMs: now(), held: held.length, nextMs: earliest()?.dueMs ?? null })

  globalThis.soak = {
    now,
    stop: (atMs) => {
      raise(atMs)
      baseMs = now()
      isFree = false
      native.clearTimeout(pump)
    },
    go: () => {
      sinceMs = native.now()
      isFree = true
      for (const { send } of held.splice(0)) send()
      arm()
    },
    /**
     * Advances to a moment, or until requests wait to be sent; `release` sends the waiting ones. Timers that are due
     * within `grainMs` of each other fire together, and the work of such a step must finish before the step after the
     * next. With `once` an interval fires once, however often it was due. With `hold` time advances although requests
     * wait, so that the page can store the answers that it has.
     */
    run: async (
      untilMs,
      { release = false, hold = false, networkPatienceMs = PATIENCE_MS, grainMs = 0, once: isOnce = false },
    ) => {
      if (release) for (const { send } of held.splice(0)) send()
      if (isOnce) {
        if (leaks.includes('node'))
          for (leakedMs ??= untilMs; leakedMs < untilMs; leakedMs += POLL_MS)
            document.body.append(document.createElement('i'))
        for (const timer of timers.values())
          if (timer.everyMs !== undefined && timer.dueMs < untilMs)
            timer.dueMs += Math.floor((untilMs - timer.dueMs) / timer.everyMs) * timer.everyMs
      }
      let mayLag = grainMs > 0
      for (;;) {
        await quiet(networkPatienceMs, mayLag)
        if (held.length > 0 && !hold) return state()
        const next = earliest()
        if (next === undefined || next.dueMs > untilMs) {
          if (mayLag) {
            mayLag = false
            continue
          }
          raise(untilMs)
          return state()
        }
        mayLag = grainMs > 0
        step++
        raise(Math.min(untilMs, next.dueMs + grainMs))
        for (let due = next; due !== undefined && due.dueMs <= now(); due = earliest()) {
          fire(due)
          if (due.everyMs !== undefined && due.dueMs <= now()) due.dueMs += due.everyMs
          if (grainMs === 0) break
        }
      }
    },
    /** Call it after a garbage collection. */
    measure: () => ({
      listeners: listeners(),
      timers: timers.size,
      connections,
      channels,
      workers,
      inFlight: countOf('network'),
      calls: calls.size,
      signed: signed - held.filter(({ isSigned }) => isSigned).length,
      entries: performance.getEntriesByType('resource').length,
      marks: performance.getEntriesByType('measure').length + performance.getEntriesByType('mark').length,
    }),
  }
})()
