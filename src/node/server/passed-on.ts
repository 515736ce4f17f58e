import type { IncomingMessage } from 'node:http'

/** What proxies, load balancers and networks that deliver for others add to a request; a browser sends none of it. */
const HEADERS = [
  'forwarded',
  'forwarded-for',
  'x-forwarded',
  'x-forwarded-.*',
  'x-original-.*',
  'via',
  'x-bluecoat-via',
  '(x-)?real-ip',
  '(x-)?client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  '(wl-)?proxy-client-ip',
  'incap-client-ip',
  'x-sucuri-clientip',
  'x-(remote|source|proxyuser)-(ip|addr)',
  'x-proxy-id',
  'cf-.*',
  'cdn-.*',
  'ali-cdn-.*',
  'fastly-.*',
  'fly-.*',
  'akamai-.*',
  'x-akamai-.*',
  'x-azure-.*',
  'x-arr-.*',
  'x-ms-proxy',
  'x-appengine-.*',
  'x-cloud-trace-context',
  'x-envoy-.*',
  'x-amz-cf-.*',
  'x-amzn-.*',
  'x-vercel-.*',
  'x-nf-.*',
  'x-varnish',
  'x-nginx-.*',
  'x-accel-.*',
  'x-request-start',
  'tailscale-.*',
]

const OF_FRONT = new RegExp(`^(${HEADERS.join('|')})$`)

/** Whether a request shows that another server passed it on. nginx shows itself by HTTP/1.0 only, unless configured otherwise. */
export const isPassedOn = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.0' || Object.keys(headers).some((name) => OF_FRONT.test(name))
