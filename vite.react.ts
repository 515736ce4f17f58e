import type { Plugin } from 'vite'

const REACT_DOM = /\/react-dom\/cjs\/react-dom-client\.production\.js$/

/**
 * What React DOM can do and this app never asks it for, by its functions. None of them is reached unless a component
 * uses the feature; one that is reached all the same throws, and the error boundary shows it.
 */
const UNUSED: Readonly<Record<string, readonly string[]>> = {
  'markup from a server': [
    'throwOnHydrationMismatch',
    'prepareToHydrateHostInstance',
    'queueHydrationError',
    'updateDehydratedSuspenseComponent',
    'mountHostRootWithoutHydrating',
    'retrySuspenseComponentWithoutHydrating',
    'retryDehydratedSuspenseBoundary',
    'clearHydrationBoundary',
    'hideOrUnhideDehydratedBoundary',
    'canHydrateInstance',
    'canHydrateTextInstance',
    'canHydrateHydrationBoundary',
    'registerSuspenseInstanceRetry',
    'getNextHydratable',
    'getNextHydratableInstanceAfterHydrationBoundary',
    'createFiberFromDehydratedFragment',
    'attemptContinuousHydration',
    'attemptHydrationAtCurrentPriority',
    'attemptExplicitHydrationTarget',
    'accumulateOrCreateContinuousQueuedReplayableEvent',
    'attemptReplayContinuousQueuedEvent',
    'ReactDOMHydrationRoot',
  ],
  'transitions between views': [
    'getViewTransitionName',
    'getViewTransitionClassName',
    'pushViewTransitionCancelableScope',
    'applyViewTransitionToHostInstances',
    'restoreViewTransitionOnHostInstances',
    'commitEnterViewTransitions',
    'measureViewTransitionHostInstancesRecursive',
    'measureNestedViewTransitions',
    'commitAfterMutationEffectsOnFiber',
    'scheduleViewTransitionEvent',
    'applyViewTransitionName',
    'restoreViewTransitionName',
    'startViewTransition',
    'createViewTransitionInstance',
    'reportViewTransitionError',
    'ViewTransitionPseudoElement',
  ],
  'references to fragments': [
    'FragmentInstance',
    'indexOfEventListener',
    'normalizeListenerOptions',
    'setFocusOnFiberIfFocusable',
    'collectChildren',
    'blurActiveElementWithinFragment',
    'observeChild',
    'unobserveChild',
    'schedulePendingIntersectionUnobserve',
    'collectClientRects',
    'validateDocumentPositionWithFiberTree',
    'scrollTextNodeIntoView',
    'addFragmentHandleToInstance',
    'commitNewChildToFragmentInstance',
    'deleteChildFromFragmentInstance',
  ],
  'Activity, SuspenseList': [
    'updateActivityComponent',
    'mountActivityChildren',
    'updateSuspenseListComponent',
  ],
  'actions of forms': [
    'dispatchActionState',
    'runActionStateAction',
    'handleActionReturnValue',
    'mountActionState',
    'updateActionStateImpl',
    'rerenderActionState',
    'ensureFormComponentIsStateful',
  ],
  'styles, scripts, links and parts of the document as components': [
    'preconnectAs',
    'preload',
    'preloadModule',
    'preinitStyle',
    'preinitScript',
    'preinitModuleScript',
    'getResource',
    'acquireResource',
    'preloadStylesheet',
    'insertStylesheet',
    'insertStylesheetIntoRoot',
    'getHydratableHoistableCache',
    'suspendResource',
    'suspendInstance',
    'preloadResourceAndSuspendIfNeeded',
    'estimateBandwidth',
    'resolveSingletonInstance',
    'releaseSingletonInstance',
    'commitHostSingletonAcquisition',
  ],
}

/** What is asked at every commit, and how the answer is when none of these features is used. */
const ANSWERS: Readonly<Record<string, string>> = {
  isHostHoistableType: 'return !1',
  isSingletonScope: 'return !1',
  maySuspendCommit: 'return !1',
  isFragmentInstanceParent: 'return !1',
  commitNewChildToFragmentInstances: '',
  commitFragmentInstanceInsertionEffects: '',
  commitFragmentInstanceDeletionEffects: '',
  trackEnterViewTransitions: '',
  commitExitViewTransitions: '',
  commitNestedViewTransitions: '',
  restoreEnterOrExitViewTransitions: '',
  restoreNestedViewTransitions: '',
  popHydrationState: 'return !1',
  getParentHydrationBoundary: 'return null',
  commitSuspenseHydrationCallbacks: '',
  commitActivityHydrationCallbacks: '',
}

/** Statements beside functions that go with them. */
const GONE =
  /^(FragmentInstance|ViewTransitionPseudoElement)\.prototype\.\w+ = function|^exports\.hydrateRoot = /

/** Without `hydrateRoot` this is false for good; one function has a parameter of the same name. */
const READ = /\bisHydrating\b(?!\$| =)/g
const HAS_OWN = /^function initInput\(/

/**
 * Leaves out of React DOM what no screen uses: a fifth of it, which every first status would wait for.
 * A version of React whose functions are others fails the build here, rather than be changed in part.
 */
export function reactWithoutUnused(): Plugin {
  return {
    name: 'react-without-unused',
    apply: 'build',
    transform: {
      filter: { id: REACT_DOM },
      handler(code) {
        const bodies = new Map(Object.entries(ANSWERS))
        for (const name of Object.values(UNUSED).flat())
          bodies.set(name, 'throw Error("left out of this build")')
        let kept = ''
        for (const statement of this.parse(code).body) {
          const text = code.slice(statement.start, statement.end)
          const isFunction = statement.type === 'FunctionDeclaration'
          const name = isFunction ? (statement.id?.name ?? '') : ''
          const body = bodies.get(name)
          bodies.delete(name)
          if (isFunction && body !== undefined) {
            const head = code.slice(statement.start, statement.body?.start)
            kept += `${head}{${body}}\n`
          } else if (!GONE.test(text)) kept += `${HAS_OWN.test(text) ? text : text.replace(READ, '!1')}\n`
        }
        if (bodies.size > 0)
          this.error(`React DOM has no function ${Array.from(bodies.keys()).join(', ')}: see vite.react.ts`)
        return kept
      },
    },
  }
}
