// The output of a task as it comes; the page keeps its end. Redrawn at most once per frame.

import { useEffect, useRef, useState } from 'preact/hooks';
import { listen, messageOf } from '../connection.ts';
import { line } from '../state.ts';
import { plainOutput } from './command-text.tsx';

const MAX_CHARACTERS = 200_000;
const RETRY_MS = 1_000;

type OutputEvent =
  | { readonly is: 'output'; readonly text: string; readonly cursor: number }
  | { readonly is: 'end'; readonly isWhole: boolean };

export function LiveOutput({ task }: { task: string }) {
  const [text, setText] = useState('');
  const [state, setState] = useState('');
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const gone = new AbortController();
    let shown = '';
    let frame = 0;
    const draw = (): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        const { current } = box;
        isAtEnd.current = current === null || current.scrollHeight - current.scrollTop - current.clientHeight < 30;
        setText(plainOutput(shown));
      });
    };
    void follow(task, gone.signal, setState, (more) => {
      shown = (shown + more).slice(-MAX_CHARACTERS);
      draw();
    });
    return () => {
      gone.abort();
      cancelAnimationFrame(frame);
    };
  }, [task]);
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [text]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre class="output" ref={box} tabIndex={0} role="log" aria-label="Output">
        {text}
      </pre>
      <p class="dim">{state}</p>
    </>
  );
}

async function follow(
  task: string,
  signal: AbortSignal,
  setState: (text: string) => void,
  onText: (text: string) => void,
): Promise<void> {
  let cursor: number | null = null;
  let isOver = false;
  let isWhole = true;
  while (!isOver && !signal.aborted) {
    const where: Record<string, string> = cursor === null ? { task } : { task, cursor: String(cursor) };
    try {
      await listen<OutputEvent>(
        `output?${new URLSearchParams(where)}`,
        signal,
        () => setState('Live.'),
        (event) => {
          if (event.is === 'end') {
            isOver = true;
            isWhole = event.isWhole;
          } else {
            cursor = event.cursor;
            onText(event.text);
          }
        },
      );
      if (isOver)
        setState(isWhole ? 'End of output.' : 'The process that ran it has ended; there may have been more output.');
    } catch (error) {
      if (signal.aborted) return;
      setState(messageOf(error));
      if (line.value.is === 'open') return;
    }
    if (!isOver) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
