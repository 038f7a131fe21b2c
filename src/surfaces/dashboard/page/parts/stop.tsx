// The button that ends a command and every process that it started.

import { useState } from 'preact/hooks';
import { call, messageOf } from '../connection.ts';
import { isStill, notice } from '../state.ts';

export function Stop({ task }: { task: string }) {
  const [isStopping, setStopping] = useState(false);
  const stop = async (): Promise<void> => {
    setStopping(true);
    try {
      const { isStopped } = await call<{ isStopped: boolean }>('stop', { task });
      notice.value = isStopped ? `Stopped ${task}.` : `${task} had already ended.`;
    } catch (error) {
      notice.value = messageOf(error);
      setStopping(false);
    }
  };
  return (
    <button type="button" class="deny stop" disabled={isStopping || !isStill.value} onClick={() => void stop()}>
      {isStopping ? 'Stopping …' : 'Stop'}
    </button>
  );
}
