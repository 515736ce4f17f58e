import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends bytes as they are, and gives back what comes until the other side ends the connection. */
export async function rawAnswer(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.setEncoding('latin1').on('data', (part: string) => (answer += part))
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}
