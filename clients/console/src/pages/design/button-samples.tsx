import { Ellipsis, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { Button, IconButton, type Variant } from '../../design/button.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { Samples } from './samples.tsx';

const variants: readonly Variant[] = ['primary', 'secondary', 'quiet', 'danger'];

export function ButtonSamples() {
  return (
    <>
      <Samples title="Ready">
        {variants.map((variant) => (
          <Button key={variant} variant={variant}>
            {variant}
          </Button>
        ))}
      </Samples>
      <Samples title="With an icon">
        <Button variant="primary" icon={Plus}>
          New project
        </Button>
        <Button icon={RefreshCw}>Refresh</Button>
        <Button variant="danger" icon={Trash2}>
          Delete
        </Button>
      </Samples>
      <Samples title="Small">
        {variants.map((variant) => (
          <Button key={variant} variant={variant} small>
            {variant}
          </Button>
        ))}
      </Samples>
      <Samples title="Working">
        {variants.map((variant) => (
          <Button key={variant} variant={variant} isPending>
            {variant}
          </Button>
        ))}
      </Samples>
      <Samples title="Not available">
        {variants.map((variant) => (
          <Button key={variant} variant={variant} isDisabled>
            {variant}
          </Button>
        ))}
      </Samples>
      <Samples title="Icons alone">
        <Tooltip text="More">
          <IconButton icon={Ellipsis} label="More" />
        </Tooltip>
        <IconButton icon={RefreshCw} label="Refresh" small />
        <IconButton icon={Trash2} label="Delete" isDisabled />
        <IconButton icon={RefreshCw} label="Refreshing" isPending />
      </Samples>
    </>
  );
}
