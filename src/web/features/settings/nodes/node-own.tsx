import { DEFAULTS } from '#base/defaults.ts'
import { ruleKey, type Effective } from '#settings/effective.ts'
import { serviceIdOf } from '#record/service.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { createDrafts } from '#react/drafts.ts'
import { hrefOf, nodePath, scopePath } from '#react/routes.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { nodeOwnTexts as words } from '#texts/en-node-own.ts'
import { LinkButton } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { Tag } from '#ui/chip.tsx'
import { TextField } from '#ui/text-field.tsx'
import { firstBaseUrlOf, hasNotesOfServer, withNotes } from '#parts/node-edits.ts'
import { SaveRow, useSave } from '#parts/save.tsx'

const useNotesDraft = createDrafts<string>()

type NodeOwnProps = { readonly node: Effective['nodes'][number] }

export function NodeOwn({ node }: NodeOwnProps) {
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
      title={words.nodeTitle}
      actions={
        <LinkButton size="small" look="subtle" href={hrefOf(nodePath(key))}>
          {words.toNode}
        </LinkButton>
      }
    >
      <Form onSubmit={submit}>
        {node.tags.length > 0 && (
          <div className="flow">
            {node.tags.map((tag) => (
              <Tag key={tag} tag={tag} href={hrefOf(scopePath(ruleKey({ for: 'tag', tag })))} />
            ))}
            <span className="text-12 ink-3">{words.tagsHint}</span>
          </div>
        )}
        <TextField
          label={words.label}
          hint={isFixed ? words.fixed : words.hint(chars, DEFAULTS.notesCharsMax)}
          disabled={isFixed}
          error={isTooLong ? words.tooLong(DEFAULTS.notesCharsMax) : undefined}
          rows={4}
          value={text}
          onChange={(next) => {
            setDraft(next)
            edited()
          }}
        />
        <SaveRow
          label={words.save}
          disabled={isFixed || draft === undefined || isTooLong}
          onDiscard={draft === undefined ? undefined : () => setDraft(undefined)}
          saved={saved}
        />
      </Form>
    </Panel>
  )
}
