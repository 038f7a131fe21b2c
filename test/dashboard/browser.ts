// A real browser for the tests: the system's Chromium, without its background activity.

import { existsSync } from 'node:fs';
import axeCore from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Dashboard } from './subject.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** `null` where there is none; tests are skipped then. */
export function findChromium(): string | null {
  const chosen = process.env.HARDSHELL_CHROMIUM;
  if (chosen !== undefined) return chosen;
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/'));
  return folders.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`)).find((path) => existsSync(path)) ?? null;
}

export const NO_BROWSER = 'no Chromium on this machine: install one, or name it in HARDSHELL_CHROMIUM';

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Visit {
  readonly page: Page;
  /** Addresses of everything that the page asked for. */
  readonly asked: string[];
  /** Its errors: from the page, and from the content security policy. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** A separate browser that opens the link. */
export async function visit(
  browser: Browser,
  { url }: Pick<Dashboard, 'url'>,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, locale: 'en-GB', ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy/.test(message.text())) complaints.push(message.text());
  });
  await page.goto(url);
  await page.getByText('live', { exact: false }).first().waitFor();
  return { page, asked, complaints, close: () => context.close() };
}

/** What a person who cannot see, or uses no mouse, would stumble over. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axeCore.source);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}
