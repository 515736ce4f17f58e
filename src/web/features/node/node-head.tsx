import type { ReactNode } from 'react'
import { copying } from '#parts/copying.ts'
import { hrefOf, PATHS, tagPath } from '#react/routes.ts'
import type { NodeLive } from '#fleet/live.ts'
import { nodeTexts as words } from '#texts/en-node.ts'
import { nodeName } from '#texts/names.ts'
import { CopyButton } from '#ui/copy-line.tsx'
import { PageHead } from '#ui/page.tsx'
import { Tag } from '#ui/chip.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

/** The configured id, or the id that the service reports for the default node. */
export const idOf = (node: NodeLive): string | undefined =>
  node.nodeId ?? (node.reading?.record.nodeId.ok === true ? node.reading.record.nodeId.value : undefined)

type NodeHeadProps = { readonly node: NodeLive; readonly edit: ReactNode; readonly actions: ReactNode }

export function NodeHead({ node, edit, actions }: NodeHeadProps) {
  const id = idOf(node)
  return (
    <PageHead
      crumb={{ href: hrefOf(PATHS.nodes), label: words.crumb }}
      title={<VisibleText text={nodeName({ name: node.name, nodeId: id })} />}
      actions={actions}
    >
      {id !== undefined && (
        <CopyButton text={id} label={words.copyId} {...copying}>
          <VisibleText text={midId(id)} />
        </CopyButton>
      )}
      {node.tags.map((tag) => (
        <Tag key={tag} tag={tag} href={hrefOf(tagPath(tag))} />
      ))}
      {edit}
    </PageHead>
  )
}

const midId = (id: string): string => (id.length <= 22 ? id : `${id.slice(0, 10)}…${id.slice(-8)}`)
