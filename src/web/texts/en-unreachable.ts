import { unreachable } from '#base/never.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { FailureContext, FailureWords } from './failure-words.ts'

type Unreachable = Extract<PollFailure, { readonly kind: 'unreachable' }>

/** No answer at all. A browser hides why; the dashboard's own server tells. */
export function unreachableWords({ hop, detail }: Unreachable, context: FailureContext): FailureWords {
  const { service, baseUrl } = context
  if (hop === 'proxy')
    return {
      title: 'This dashboard’s own server does not answer',
      meaning: `The page asks ${service} through it, so nothing can be asked. Whether the service itself is up is not known.`,
      next: 'Start the dashboard again where it was started; this page then goes on by itself.',
    }
  switch (detail) {
    case 'refused':
      return {
        title: `${service} refuses connections`,
        meaning:
          'The computer is there, but nothing listens at that address and port. The service may be stopped.',
        next: `Start the service, or correct the port in ${baseUrl}.`,
      }
    case 'dns':
      return {
        title: `The name of ${service} is not known`,
        meaning: 'The name in its address leads to no computer, as seen from this dashboard’s server.',
        next: `Check the spelling of ${baseUrl}, and the name service of the network.`,
      }
    case 'tls':
      return {
        title: `The certificate of ${service} is not trusted`,
        meaning:
          'It is expired, made for another name, or signed by someone whom this dashboard’s server does not know. The request was not sent.',
        next: 'Renew the certificate, or start the dashboard with NODE_EXTRA_CA_CERTS naming the file of its issuer.',
      }
    case 'reset':
      return {
        title: `${service} drops the connection`,
        meaning:
          'It was reached, then the connection ended without an answer. It may be restarting, or something between ends connections.',
        next: 'It is asked again by itself; look at the service if it lasts.',
      }
    case 'not-allowed':
      return {
        title: `This dashboard’s server may not ask ${service}`,
        meaning: `It asks only services that it was told about, and ${baseUrl} is not one of them.`,
        next: 'Save the service again in the settings, or add it to the server’s configuration file.',
      }
    case undefined:
      return context.via === 'direct' ? unknownToBrowser(context) : noAnswer(context)
    default:
      return unreachable(detail)
  }
}

const noAnswer = ({ service }: FailureContext): FailureWords => ({
  title: `No answer from ${service}`,
  meaning: 'It could not be reached, and nobody said why.',
  next: 'Check that it runs and that the network leads there; it is asked again by itself.',
})

const unknownToBrowser = ({ service, baseUrl, pageOrigin, headerNames }: FailureContext): FailureWords => ({
  title: `No answer from ${service}`,
  meaning:
    'The browser could not reach it or may not read its answer; it does not tell pages which. Three usual causes: the service is down, it does not allow this page (CORS), or its certificate is not trusted.',
  next: `Open ${baseUrl} in a tab: an error page means that it is down or its certificate is not trusted; any answer means that it has to send the headers below. Asking through this dashboard’s server needs none of them.`,
  lines: corsLines({ pageOrigin, headerNames }),
})

/** What a service has to send so that this page may ask it. */
export const corsLines = ({
  pageOrigin,
  headerNames,
}: Pick<FailureContext, 'pageOrigin' | 'headerNames'>) => ({
  label: 'What the service has to send',
  text: [
    `Access-Control-Allow-Origin: ${pageOrigin}`,
    'Access-Control-Allow-Methods: GET',
    `Access-Control-Allow-Headers: ${headerNames.join(', ')}`,
    'Access-Control-Expose-Headers: Date, Retry-After, Age, WWW-Authenticate',
    'Access-Control-Max-Age: 7200',
  ].join('\n'),
})
