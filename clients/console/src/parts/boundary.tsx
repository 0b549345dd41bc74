import { Component, type ReactNode } from 'react';

interface BoundaryState {
  readonly broken: Error | undefined;
}

/** An error boundary: shows the error of a page while the rest of the console continues to work. */
export class Boundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { broken: undefined };

  static getDerivedStateFromError(broken: Error): BoundaryState {
    return { broken };
  }

  override render() {
    const { broken } = this.state;
    if (broken === undefined) return this.props.children;
    return (
      <div className="note bad" role="alert">
        <p>
          <strong>This page could not be shown.</strong> {broken.message}
        </p>
        <div>
          <button type="button" onClick={() => location.reload()}>
            Load it again
          </button>
        </div>
      </div>
    );
  }
}
