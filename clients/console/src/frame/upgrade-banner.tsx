import { Button } from '../design/button.tsx';
import { isReplaced } from '../load-code.ts';
import { useStore } from '../store.ts';

/** Says that the console was upgraded while it was open, and offers to load it again. */
export function UpgradeBanner() {
  const shown = useStore(isReplaced);
  return (
    <div className={shown ? 'banner' : undefined}>
      <div role="status">
        {shown && (
          <p>
            The console was upgraded while it was open, and parts of it cannot be loaded any more. Copy what you have
            typed, then load it again.
          </p>
        )}
      </div>
      {shown && (
        <Button small onPress={() => location.reload()}>
          Load it again
        </Button>
      )}
    </div>
  );
}
