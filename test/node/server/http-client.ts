import http from 'node:http'

export type Answer = {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

export type Ask = {
  readonly method?: string
  /** Sent as they are, `host` included, which fetch would not allow. */
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string
}

/** One request over its own connection. `target` is sent as given, without normalizing "..". */
export const ask = (
  base: string,
  target: string,
  { method = 'GET', headers = {}, body }: Ask = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const request = http.request(
      { hostname, port, path: target, method, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })

/** The headers with which the server's own page sends a document. */
export const ownHeaders = (host: string, scheme = 'http') => ({
  origin: `${scheme}://${host}`,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
})

export const json = (answer: Answer): unknown => JSON.parse(answer.body.toString('utf8'))
