import type { OpenTabChannel } from '#tabs/channel.ts'

/** A BroadcastChannel: tabs of this browser, origin and profile hear each other, Workers among them. */
export const openTabChannel: OpenTabChannel = (name, hear) => {
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => hear(data))
  return { post: channel.postMessage.bind(channel), close: channel.close.bind(channel) }
}
