import { Component, type ReactNode } from 'react'

type ErrorBoundaryProps = {
  readonly fallback: (error: unknown, retry: () => void) => ReactNode
  readonly onError?: (error: unknown) => void
  readonly children: ReactNode
}

type State = { readonly failed: false } | { readonly failed: true; readonly error: unknown }

/** Contains a render error within its panel. React has no hook for this, so it is a class. */
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
