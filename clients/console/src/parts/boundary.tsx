import { Component, type ReactNode } from 'react';

interface BoundaryState {
  readonly broken: Error | undefined;
}

/** Says what broke a page, and leaves the rest of the console as it is. */
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
