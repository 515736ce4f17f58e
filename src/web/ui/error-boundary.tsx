import { Component, type ReactNode } from 'react'

type ErrorBoundaryProps = {
  /** What stands in the place of what failed; `retry` draws it anew. */
  readonly fallback: (error: unknown, retry: () => void) => ReactNode
  readonly onError?: (error: unknown) => void
  readonly children: ReactNode
}

type State = { readonly failed: false } | { readonly failed: true; readonly error: unknown }

/** Keeps a failure to draw inside its panel. React has no hook for this, so it is a class. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  static getDerivedStateFromError(error: unknown): State {
    return { failed: true, error }
  }

  override state: State = { failed: false }

  override componentDidCatch(error: unknown) {
    this.props.onError?.(error)
  }

  private readonly retry = () => this.setState({ failed: false })

  override render() {
    return this.state.failed ? this.props.fallback(this.state.error, this.retry) : this.props.children
  }
}
