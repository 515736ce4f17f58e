import { ruleKey } from '#settings/effective.ts'
import type { Service } from '#settings/schema.ts'
import { serviceIdOf } from '#record/service.ts'
import { nodeKeyOf, type NodeLive } from '#fleet/live.ts'
import { hrefOf, scopePath, tagPath } from '#react/routes.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { nodeOwnTexts as words } from '#texts/en-node-own.ts'
import { LinkButton } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { Tag } from '#ui/chip.tsx'
import { WrittenText } from '#ui/code-text.tsx'

type OwnPanelProps = { readonly node: NodeLive; readonly service: Service }

export function OwnPanel({ node, service }: OwnPanelProps) {
  const { nodes } = useConfiguration().effective
  const notes = nodes.find((each) => nodeKeyOf(serviceIdOf(each.service), each.id) === node.key)?.notes
  const settings = scopePath(ruleKey({ for: 'node', service: service.baseUrl, node: node.nodeId }))
  return (
    <Panel
      title={words.title}
      actions={
        <LinkButton size="small" look="subtle" href={hrefOf(settings)}>
          {words.change}
        </LinkButton>
      }
    >
      {notes === undefined ? <p className="ink-3">{words.none}</p> : <WrittenText text={notes} />}
      {node.tags.length > 0 && (
        <div className="flow">
          <span className="text-12 ink-3">{words.tags}</span>
          {node.tags.map((tag) => (
            <Tag key={tag} tag={tag} href={hrefOf(tagPath(tag))} />
          ))}
        </div>
      )}
    </Panel>
  )
}
