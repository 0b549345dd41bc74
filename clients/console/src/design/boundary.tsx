import { TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';

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
    return <BrokenPage error={broken} />;
  }
}

/** In place of a page whose code failed. */
export const BrokenPage = ({ error }: { readonly error: Error }) => (
  <div className="refusal" role="alert">
    <TriangleAlert className="icon" aria-hidden="true" />
    <div>
      <p>
        <strong>This page could not be shown.</strong>
      </p>
      <p className="refusal-details">{error.message}</p>
    </div>
    <Button small onPress={() => location.reload()}>
      Load it again
    </Button>
  </div>
);
