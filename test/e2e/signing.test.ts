import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROFILE_TRIES } from '#signing/profile-tries.ts'
import { PRESETS } from '#signing/presets.ts'
import type { Profile } from '#signing/profile.ts'
import { axeViolations } from '#test/support/axe.ts'
import { leakedForms, listen } from './leaks.ts'
import { hero, message, openMessages, QUICK, setStage, statusLine, type Stage } from './stage.ts'
import { browserForTests } from './watched-browser.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { profileTexts } from '#texts/en-profiles.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { tokenTexts } from '#texts/en-tokens.ts'

const browser = browserForTests()
const stages: Stage[] = []

/** Unlike any preset or try: it signs a hash, and every header has a different encoding. */
const UNUSUAL: Profile = {
  v: 1,
  title: 'Unusual',
  validitySeconds: 30,
  nodeId: 'lower-no-0x',
  message: {
    kind: 'template',
    template: 'Hive/7 {{probe}}\n{authority}{path}\n{param.node_id}\n{exp.ms}\n{nonce.base58}',
    prehash: 'sha-512',
  },
  headers: {
    Authorization: 'Hive {key.base58}.{sig.base64-nopad}',
    'X-Node-Until': '{exp.ms}',
    'X-Node-Once': '{nonce.base58}',
  },
}

/** An unsigned profile with a token. */
const FIXED: Profile = {
  v: 1,
  title: 'Fixed token',
  message: { kind: 'none', token: 'operator-typed' },
  headers: { Authorization: 'Bearer {token}' },
}
/** A random token, so that any occurrence of it comes from this run. */
const TOKEN = `tok_${crypto.randomUUID()}`

/** A service that requires this profile, and a dashboard with another one. */
async function stageWith(profile: Profile): Promise<Stage> {
  const stage = await setStage({
    nodes: 2,
    reference: { profile: { name: 'test', profile } },
    service: QUICK,
  })
  stages.push(stage)
  return stage
}

let unusual: Stage
let token: Stage
let fixed: Stage

beforeAll(async () => {
  const jwt = PRESETS.get('jwt-eddsa')?.profile
  if (jwt === undefined) throw new Error('no such preset')
  unusual = await stageWith(UNUSUAL)
  token = await stageWith(jwt)
  fixed = await setStage({
    nodes: 2,
    reference: { profile: { name: 'fixed', profile: FIXED }, token: TOKEN },
    service: { ...QUICK, profile: FIXED },
  })
  stages.push(fixed)
})
afterAll(async () => {
  for (const stage of stages) await stage.stop()
})

/** Makes a key that the service refuses, and opens the editor. The tall page keeps messages off its buttons. */
async function openEditor({ dashboard }: Stage): Promise<Page> {
  const page = await browser.openPage({ viewport: { width: 1440, height: 2_400 } })
  await page.goto(dashboard.dashboardUrl)
  await page.getByRole('button', { name: 'Start watching' }).click()
  await openMessages(page)
  await message(page, /Signature rejected/)
    .first()
    .getByRole('link', { name: 'Signing profile' })
    .click()
  await page.getByRole('button', { name: profileTexts.find.open }).waitFor()
  return page
}

describe('a service with an unusual profile', () => {
  it('can be configured in the editor, and is live afterwards', async () => {
    const page = await openEditor(unusual)
    const fill = (label: string, text: string) =>
      page.getByRole('textbox', { name: label, exact: true }).fill(text)
    if (UNUSUAL.message.kind !== 'template') throw new Error('another kind')
    await fill('Profile name', 'Unusual')
    await fill('Message to sign', UNUSUAL.message.template)
    await page.getByLabel('Hash before signing').selectOption('sha-512')
    await page.getByLabel('node_id in the message').selectOption('lower-no-0x')
    await fill(profileTexts.validity, '30')
    const headers = Object.entries(UNUSUAL.headers).map(([name, text]) => `${name}: ${text}`)
    await fill('Headers', headers.join('\n'))
    await page.getByText(profileTexts.verified).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: profileTexts.copy }).first().click()
    const [node] = unusual.nodes
    if (node === undefined) throw new Error('no node')
    await page.goto(unusual.nodeUrl(node))
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    await page.reload()
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    // No proof profile is configured, so proofs are neither verified nor wrong.
    await page.getByRole('main').getByText('Not checked', { exact: true }).waitFor()
  })
})

describe('the search for a working profile', () => {
  it('states its cost, stops at the first success, reports each answer, and runs at most once an hour', async () => {
    // The clock differs by more than the validity of signatures, so every try must use the service's time.
    await token.reference.faults.set('*', { name: 'clock-offset', value: 73_000 })
    const page = await openEditor(token)
    const dialog = page.getByRole('dialog')
    token.reference.resetStats()
    await page.getByRole('button', { name: profileTexts.find.open }).click()
    await dialog.getByText(profileTexts.find.warning(PROFILE_TRIES.length)).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Start' }).click()
    await dialog.getByText(profileTexts.find.found('JSON Web Token')).waitFor()
    const place = PROFILE_TRIES.findIndex(({ id }) => id === 'jwt-eddsa')
    const said = await dialog.getByRole('listitem').allInnerTexts()
    expect(said).toHaveLength(PROFILE_TRIES.length)
    said.forEach((text, at) => {
      const { states, answer } = profileTexts.find
      const refused = `${states.refused}, ${answer(401)}`
      const accepted = `${states.accepted}, ${answer(200)}`
      expect(text).toContain(at < place ? refused : at === place ? accepted : states.waiting)
    })
    await dialog.getByRole('button', { name: profileTexts.find.use }).click()
    await page.getByRole('button', { name: profileTexts.copy }).first().click()
    await page
      .getByText(/^Saved/)
      .first()
      .waitFor()

    await page.reload()
    // A message that appears during a click would shift the button.
    await message(page, /Clocks disagree by|The clock of/).waitFor()
    await page.getByRole('button', { name: profileTexts.find.open }).click()
    await dialog.getByRole('button', { name: 'Start' }).click()
    await dialog.getByText(/^At most once an hour: next in \d+ minutes/).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    const [node] = token.nodes
    if (node === undefined) throw new Error('no node')
    await page.goto(token.nodeUrl(node))
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
  })
})

describe('a service that requires a token', () => {
  it('needs no key, reports the missing token, is live after its input, and never shows it', async () => {
    // The whole page is in view, so that the status line covers no button.
    const page = await browser.openPage({ viewport: { width: 1440, height: 2_400 } })
    const said = listen(page.context())
    const found = () => leakedForms(page, said, [TOKEN])
    const [node] = fixed.nodes
    if (node === undefined) throw new Error('no node')
    await page.goto(fixed.nodeUrl(node))
    await message(page, 'Token needed').first().waitFor()
    await statusLine(page).getByText(shellTexts.status.noToken).waitFor()
    await statusLine(page).getByText('no key needed').waitFor()
    await page.getByRole('link', { name: messageTexts.giveToken }).first().click()
    const field = page.locator('input[type=password]').and(page.getByLabel('Token', { exact: true }))

    await field.fill('tok_not-this-one')
    await page.getByRole('button', { name: tokenTexts.use }).click()
    await message(page, 'Token rejected (401)').first().waitFor()
    await page.getByLabel(tokenTexts.fieldNew).fill(TOKEN)
    await page.getByRole('button', { name: tokenTexts.use }).click()
    await page.getByText(tokenTexts.held.session).waitFor()
    expect(await axeViolations(page)).toEqual([])
    expect(await found()).toEqual([])

    await page.goto(fixed.nodeUrl(node))
    await hero(page).getByText('ACTIVE', { exact: true }).waitFor()
    await page.getByText(nodeHistoryTexts.exchange.title, { exact: true }).click()
    await page.getByText('Bearer [token]').first().waitFor()
    expect(await found()).toEqual([])

    await page.goto(`${fixed.dashboard.dashboardUrl}#/settings/signing`)
    await page.getByText(tokenTexts.device, { exact: true }).click()
    await page.getByLabel(tokenTexts.fieldNew).fill(TOKEN)
    await page.getByRole('button', { name: tokenTexts.use }).click()
    await page.getByText(tokenTexts.held.device).waitFor()
    // As the page says, its scripts can read a token that is stored.
    expect(await found()).toEqual([TOKEN])
    await page.getByRole('button', { name: tokenTexts.forget }).click()
    await page.getByText(tokenTexts.forgotten).waitFor()
    expect(await found()).toEqual([])
  })
})
