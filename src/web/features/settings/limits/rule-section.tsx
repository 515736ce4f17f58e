import { useSearchParams } from '#react/location.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { type Effective, ruleAt, ruleKey, type RuleScope, withRule } from '#settings/effective.ts'
import { shortNodeId } from '#record/node-id.ts'
import { hrefOf, nodePath, scopePath, tagPath } from '#react/routes.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { nodeOwnTexts } from '#texts/en-node-own.ts'
import { ruleTexts as words } from '#texts/en-rules.ts'
import { LinkButton } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { SearchSelect } from '#parts/search-select.tsx'
import { RuleForm } from './rule-form.tsx'
import { nameOfService } from '#features/settings/use-key-of-service.ts'
import { SaveRow, useSave } from '#parts/save.tsx'
import { DEFAULTS } from '#base/defaults.ts'
import { serviceIdOf } from '#record/service.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { createDrafts } from '#react/drafts.ts'
import { Panel } from '#ui/panel.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { Tag } from '#ui/chip.tsx'
import { TextField } from '#ui/text-field.tsx'
import { firstBaseUrlOf, hasNotesOfServer, withNotes } from '#parts/node-edits.ts'

/** Units and limits of one scope at a time. `?for=` in the URL selects the scope by its key. */
export function RuleSection() {
  const { effective, server, settings } = useConfiguration()
  const [params, setParams] = useSearchParams()
  const { save, saved, edited } = useSave()
  const wanted = params.get('for') ?? undefined
  const scopes = scopesOf(effective, wanted)
  const scope = scopes.find((each) => ruleKey(each) === wanted) ?? scopes[0]
  const node = scope && nodeOf(scope, effective)
  if (scope === undefined) return <Empty title={words.noService} />
  return (
    <>
      <SearchSelect
        label={words.scope}
        value={ruleKey(scope)}
        options={scopes.map((each) => ({ value: ruleKey(each), label: nameOf(each, effective) }))}
        onChange={(next) => {
          setParams({ for: next }, { replace: true })
          edited()
        }}
      />
      {node !== undefined && <NodeOwn key={`${ruleKey(scope)} notes`} node={node} />}
      {scope.for === 'tag' && <TagNodes tag={scope.tag} nodes={effective.nodes} />}
      <RuleForm
        key={ruleKey(scope)}
        scope={scope}
        title={nameOf(scope, effective)}
        set={ruleAt(settings, scope)}
        provided={ruleAt(server, scope)}
        saved={saved}
        onSave={(parts) => save((now) => withRule(now, scope, parts))}
      />
    </>
  )
}

/** Nodes beyond this are not listed; their own page links here. */
const NODES_LISTED_MAX = 200

function scopesOf({ services, nodes, rules }: Effective, named: string | undefined): readonly RuleScope[] {
  const tags = new Set(nodes.flatMap((node) => node.tags))
  for (const rule of rules) if (rule.for === 'tag') tags.add(rule.tag)
  const all = nodes.map(({ service, id }): RuleScope => ({ for: 'node', service, node: id }))
  const listed = all.slice(0, NODES_LISTED_MAX)
  const other = all.find((scope) => ruleKey(scope) === named)
  return [
    ...services.map(({ baseUrl }): RuleScope => ({ for: 'service', service: baseUrl })),
    ...Array.from(tags)
      .toSorted()
      .map((tag): RuleScope => ({ for: 'tag', tag })),
    ...listed,
    ...(other === undefined || listed.includes(other) ? [] : [other]),
  ]
}

function nameOf(scope: RuleScope, { services, nodes }: Effective): string {
  if (scope.for === 'tag') return words.scopes.tag(scope.tag)
  const service = services.find(({ baseUrl }) => baseUrl === scope.service)
  const called = nameOfService({ baseUrl: scope.service, label: service?.label })
  if (scope.for === 'service') return words.scopes.service(called)
  const node = nodeOf(scope, { nodes })
  return words.scopes.node(
    (node?.name && toVisibleText(node.name)) ?? (scope.node === undefined ? 'own' : shortNodeId(scope.node)),
    called,
  )
}

const nodeOf = (
  scope: RuleScope,
  { nodes }: Pick<Effective, 'nodes'>,
): Effective['nodes'][number] | undefined =>
  nodes.find(({ service, id }) => ruleKey({ for: 'node', service, node: id }) === ruleKey(scope))

type TagNodesProps = { readonly tag: string; readonly nodes: Effective['nodes'] }

const TagNodes = ({ tag, nodes }: TagNodesProps) => (
  <div className="flow">
    <span className="text-12 ink-3">
      {nodeOwnTexts.tagCount(nodes.filter(({ tags }) => tags.includes(tag)).length)}
    </span>
    <LinkButton size="small" look="subtle" href={hrefOf(tagPath(tag))}>
      {nodeOwnTexts.toTag}
    </LinkButton>
  </div>
)

const useNotesDraft = createDrafts<string>()

type NodeOwnProps = { readonly node: Effective['nodes'][number] }

function NodeOwn({ node }: NodeOwnProps) {
  const configuration = useConfiguration()
  const firstBaseUrl = firstBaseUrlOf(configuration)
  const isFixed = hasNotesOfServer(configuration.server, node)
  const key = nodeKeyOf(serviceIdOf(node.service), node.id)
  const [draft, setDraft] = useNotesDraft(key)
  const { save, saved, edited } = useSave()
  const text = (isFixed ? undefined : draft) ?? node.notes ?? ''
  const chars = text.trim().length
  const isTooLong = chars > DEFAULTS.notesCharsMax
  const submit = (): void => {
    if (!isTooLong && save((now) => withNotes(now, node, firstBaseUrl, text))) setDraft(undefined)
  }
  return (
    <Panel
      title={nodeOwnTexts.nodeTitle}
      actions={
        <LinkButton size="small" look="subtle" href={hrefOf(nodePath(key))}>
          {nodeOwnTexts.toNode}
        </LinkButton>
      }
    >
      <Form onSubmit={submit}>
        {node.tags.length > 0 && (
          <div className="flow">
            {node.tags.map((tag) => (
              <Tag key={tag} tag={tag} href={hrefOf(scopePath(ruleKey({ for: 'tag', tag })))} />
            ))}
            <span className="text-12 ink-3">{nodeOwnTexts.tagsHint}</span>
          </div>
        )}
        <TextField
          label={nodeOwnTexts.label}
          hint={isFixed ? nodeOwnTexts.fixed : nodeOwnTexts.hint(chars, DEFAULTS.notesCharsMax)}
          disabled={isFixed}
          error={isTooLong ? nodeOwnTexts.tooLong(DEFAULTS.notesCharsMax) : undefined}
          rows={4}
          value={text}
          onChange={(next) => {
            setDraft(next)
            edited()
          }}
        />
        <SaveRow
          label={nodeOwnTexts.save}
          disabled={isFixed || draft === undefined || isTooLong}
          onDiscard={draft === undefined ? undefined : () => setDraft(undefined)}
          saved={saved}
        />
      </Form>
    </Panel>
  )
}
