import type { Exchange } from '#engine/bridge.ts'
import { copying } from '#parts/copying.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { CopyButton } from '#ui/copy-line.tsx'
import { Properties, property, type PropertyItems } from '#ui/properties.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { AnswerHead } from './answer-head.tsx'

const words = nodeHistoryTexts.exchange

type LastExchangeProps = {
  readonly exchange: Exchange | undefined
  /** The answer was not a record, so it is shown here as received. */
  readonly showBody: boolean
}

export function LastExchange({ exchange, showBody }: LastExchangeProps) {
  if (exchange === undefined) return <div className="panel-body">{words.none}</div>
  return (
    <>
      <AnswerHead wallMs={exchange.startedWallMs}>
        <CopyButton text={exchange.url} label={words.copy} {...copying} />
      </AnswerHead>
      <div className="panel-body">
        <Properties items={itemsOf(exchange)} />
        {showBody && exchange.status !== undefined && <Body body={exchange.body} isCut={exchange.bodyCut} />}
      </div>
    </>
  )
}

/** Header values and addresses beyond this are cut; a signature has 128 digits. */
const VALUE_CHARS_MAX = 200

function itemsOf({ url, requestHeaders, status, contentType }: Exchange): PropertyItems {
  return [
    property(
      words.address,
      <span className="mono">
        GET <VisibleText text={url} charsMax={VALUE_CHARS_MAX} />
      </span>,
    ),
    ...Object.entries(requestHeaders).map(([name, value]) => ({
      id: `header ${name}`,
      label: <span className="mono">{name}</span>,
      value: <Header value={value} />,
    })),
    property(words.answer, status === undefined ? words.noAnswer : `HTTP ${status}`),
    status !== undefined &&
      property(
        words.contentType,
        contentType === undefined ? words.noContentType : <VisibleText text={contentType} />,
      ),
  ]
}

/** Long values are signatures. They have expired, but nobody should get used to sharing them in full. */
function Header({ value }: { readonly value: string }) {
  const isLong = value.length > 80
  return (
    <span className="mono" title={isLong ? words.signature : undefined}>
      <VisibleText
        text={isLong ? `${value.slice(0, 15)}…${value.slice(-6)}` : value}
        charsMax={VALUE_CHARS_MAX}
      />
    </span>
  )
}

const LINES_MAX = 40
const LINE_CHARS_MAX = 300

function Body({ body, isCut }: { readonly body: string; readonly isCut: boolean }) {
  const lines = body.split('\n')
  return (
    <>
      <p className="text-12 ink-3">
        {words.body} {body !== '' && <CopyButton text={body} label={words.copyBody} {...copying} />}
      </p>
      {isCut && <p className="text-12 ink-3">{words.bodyCut(body.length)}</p>}
      {body === '' && <p>{words.emptyBody}</p>}
      {lines.slice(0, LINES_MAX).map((line, place) => (
        // Lines have no id, so their index is the key.
        <div key={place} className="mono text-11 wrap-anywhere">
          <VisibleText text={line} charsMax={LINE_CHARS_MAX} spaces="as-written" />
        </div>
      ))}
      {lines.length > LINES_MAX && <p>{words.moreLines(lines.length - LINES_MAX)}</p>}
    </>
  )
}
