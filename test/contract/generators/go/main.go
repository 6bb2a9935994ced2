// Calls each operation once with the generated client, and prints its id and status. The last line is the id of the
// event whose data is a copy of the data of POSTRIDER_EVENT_ID.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"postrider/generated/postrider"
)

// A response to an operation.
type response interface{ StatusCode() int }

// Prints the status of a call.
func called(operation string, result response, err error) {
	if err != nil {
		log.Fatal(operation, ": ", err)
	}
	fmt.Println(operation, result.StatusCode())
}

func pointerTo[Value any](value Value) *Value { return &value }

// Sets the bearer token of a request.
func bearer(token string) postrider.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

func main() {
	client, err := postrider.NewClientWithResponses(
		os.Getenv("POSTRIDER_URL"), postrider.WithRequestEditorFn(bearer(os.Getenv("POSTRIDER_API_KEY"))))
	if err != nil {
		log.Fatal(err)
	}
	callAccount(client)
	callTenants(client)
	webhookId := callWebhooks(client)
	callEventTypes(client)
	copied := callEvents(client)
	callAttempts(client, webhookId)
	callReplays(client, webhookId, copied)
	deleteWebhook(client, webhookId)
	fmt.Println(copied.Id)
}

func callAccount(client *postrider.ClientWithResponses) {
	ctx := context.Background()
	account, err := client.RetrieveAccountWithResponse(ctx)
	called("retrieveAccount", account, err)
	updated, err := client.UpdateAccountWithResponse(ctx,
		postrider.UpdateAccountRequest{Portal: &postrider.PortalSettingsRequest{Name: pointerTo("Shop")}})
	called("updateAccount", updated, err)
	users, err := client.ListUsersWithResponse(ctx, &postrider.ListUsersParams{})
	called("listUsers", users, err)
	key, err := client.CreateApiKeyWithResponse(
		ctx, &postrider.CreateApiKeyParams{}, postrider.CreateApiKeyRequest{Name: "Backend"})
	called("createApiKey", key, err)
	keys, err := client.ListApiKeysWithResponse(ctx, &postrider.ListApiKeysParams{TenantId: pointerTo("null")})
	called("listApiKeys", keys, err)
	deleted, err := client.DeleteApiKeyWithResponse(ctx, key.JSON201.Id)
	called("deleteApiKey", deleted, err)
}

func callTenants(client *postrider.ClientWithResponses) {
	ctx := context.Background()
	id := "customer-42"
	put, err := client.PutTenantWithResponse(ctx, id, postrider.PutTenantRequest{Name: pointerTo("Acme")})
	called("putTenant", put, err)
	tenants, err := client.ListTenantsWithResponse(ctx, &postrider.ListTenantsParams{Search: pointerTo("Acme")})
	called("listTenants", tenants, err)
	tenant, err := client.RetrieveTenantWithResponse(ctx, id)
	called("retrieveTenant", tenant, err)
	created, err := client.CreatePortalSessionWithResponse(ctx, id, &postrider.CreatePortalSessionParams{},
		postrider.CreatePortalSessionRequest{ExpiresIn: pointerTo(600)})
	called("createPortalSession", created, err)
	session, err := client.RetrievePortalSessionWithResponse(ctx, bearer(created.JSON201.Token))
	called("retrievePortalSession", session, err)
	revoked, err := client.DeletePortalSessionsWithResponse(ctx, id)
	called("deletePortalSessions", revoked, err)
	deleted, err := client.DeleteTenantWithResponse(ctx, id)
	called("deleteTenant", deleted, err)
}

func callWebhooks(client *postrider.ClientWithResponses) string {
	ctx := context.Background()
	created, err := client.CreateWebhookWithResponse(ctx, &postrider.CreateWebhookParams{},
		postrider.CreateWebhookRequest{Url: os.Getenv("POSTRIDER_WEBHOOK_URL"), Events: []string{"order.*"}})
	called("createWebhook", created, err)
	id := created.JSON201.Id
	webhooks, err := client.ListWebhooksWithResponse(ctx,
		&postrider.ListWebhooksParams{Include: pointerTo(postrider.ListWebhooksParamsIncludeHealth)})
	called("listWebhooks", webhooks, err)
	webhook, err := client.RetrieveWebhookWithResponse(ctx, id)
	called("retrieveWebhook", webhook, err)
	var auth postrider.AuthenticationRequest
	if err := auth.FromBearerAuthenticationRequest(postrider.BearerAuthenticationRequest{Token: "secret"}); err != nil {
		log.Fatal(err)
	}
	updated, err := client.UpdateWebhookWithResponse(
		ctx, id, postrider.UpdateWebhookRequest{Name: pointerTo("Orders"), Auth: &auth})
	called("updateWebhook", updated, err)
	rotated, err := client.RotateWebhookSecretWithResponse(ctx, id, &postrider.RotateWebhookSecretParams{},
		postrider.RotateWebhookSecretRequest{ExpiresIn: pointerTo(0)})
	called("rotateWebhookSecret", rotated, err)
	tested, err := client.TestWebhookWithResponse(
		ctx, id, &postrider.TestWebhookParams{}, postrider.TestWebhookRequest{})
	called("testWebhook", tested, err)
	preview, err := client.PreviewWebhookWithResponse(ctx, id, &postrider.PreviewWebhookParams{},
		postrider.PreviewWebhookRequest{EventId: pointerTo(os.Getenv("POSTRIDER_EVENT_ID"))})
	called("previewWebhook", preview, err)
	return id
}

func callEventTypes(client *postrider.ClientWithResponses) {
	ctx := context.Background()
	name := "order.refunded"
	put, err := client.PutEventTypeWithResponse(ctx, name, &postrider.PutEventTypeParams{},
		postrider.PutEventTypeRequest{
			Schema:     pointerTo(postrider.JsonSchema(`{"type":"object","required":["orderId"]}`)),
			Examples:   &[]postrider.EventData{json.RawMessage(`{"orderId":"ord_1"}`)},
			Validation: pointerTo(postrider.ValidationModeWarn),
		})
	called("putEventType", put, err)
	eventTypes, err := client.ListEventTypesWithResponse(ctx,
		&postrider.ListEventTypesParams{Include: pointerTo(postrider.ListEventTypesParamsIncludeUsage)})
	called("listEventTypes", eventTypes, err)
	eventType, err := client.RetrieveEventTypeWithResponse(ctx, name)
	called("retrieveEventType", eventType, err)
	usage, err := client.RetrieveEventTypeUsageWithResponse(ctx, name, &postrider.RetrieveEventTypeUsageParams{})
	called("retrieveEventTypeUsage", usage, err)
	catalog, err := client.RetrieveEventCatalogWithResponse(ctx)
	called("retrieveEventCatalog", catalog, err)
	deleted, err := client.DeleteEventTypeWithResponse(ctx, name)
	called("deleteEventType", deleted, err)
}

func callEvents(client *postrider.ClientWithResponses) *postrider.Event {
	ctx := context.Background()
	id := os.Getenv("POSTRIDER_EVENT_ID")
	retrieved, err := client.RetrieveEventWithResponse(ctx, id)
	called("retrieveEvent", retrieved, err)
	event := retrieved.JSON200
	created, err := client.CreateEventWithResponse(ctx, &postrider.CreateEventParams{},
		postrider.CreateEventRequest{Type: event.Type, Data: event.Data})
	called("createEvent", created, err)
	batch, err := client.CreateEventBatchWithResponse(ctx, &postrider.CreateEventBatchParams{},
		postrider.CreateEventBatchRequest{Events: []postrider.BatchEvent{{Type: event.Type, Data: event.Data}}})
	called("createEventBatch", batch, err)
	events, err := client.ListEventsWithResponse(ctx, &postrider.ListEventsParams{Type: &[]string{"order.*"}})
	called("listEvents", events, err)
	resent, err := client.ResendEventWithResponse(
		ctx, id, &postrider.ResendEventParams{}, postrider.ResendEventRequest{})
	called("resendEvent", resent, err)
	return created.JSON201
}

func callAttempts(client *postrider.ClientWithResponses, webhookId string) {
	ctx := context.Background()
	attempts, err := client.ListAttemptsWithResponse(ctx, &postrider.ListAttemptsParams{})
	called("listAttempts", attempts, err)
	ofEvent, err := client.ListEventAttemptsWithResponse(
		ctx, os.Getenv("POSTRIDER_EVENT_ID"), &postrider.ListEventAttemptsParams{})
	called("listEventAttempts", ofEvent, err)
	ofWebhook, err := client.ListWebhookAttemptsWithResponse(ctx, webhookId, &postrider.ListWebhookAttemptsParams{})
	called("listWebhookAttempts", ofWebhook, err)
	webhookHealth, err := client.RetrieveWebhookHealthWithResponse(ctx, webhookId)
	called("retrieveWebhookHealth", webhookHealth, err)
	health, err := client.RetrieveDeliveryHealthWithResponse(ctx, &postrider.RetrieveDeliveryHealthParams{})
	called("retrieveDeliveryHealth", health, err)
	stats, err := client.RetrieveDeliveryStatsWithResponse(ctx,
		&postrider.RetrieveDeliveryStatsParams{Bucket: pointerTo(postrider.RetrieveDeliveryStatsParamsBucketMinute)})
	called("retrieveDeliveryStats", stats, err)
}

func callReplays(client *postrider.ClientWithResponses, webhookId string, event *postrider.Event) {
	ctx := context.Background()
	created, err := client.CreateReplayWithResponse(ctx, &postrider.CreateReplayParams{},
		postrider.CreateReplayRequest{WebhookId: webhookId, Since: &event.Created, Only: postrider.ReplaySelectionAll})
	called("createReplay", created, err)
	id := *created.JSON202.Id
	replays, err := client.ListReplaysWithResponse(ctx, &postrider.ListReplaysParams{})
	called("listReplays", replays, err)
	replay, err := client.RetrieveReplayWithResponse(ctx, id)
	called("retrieveReplay", replay, err)
	canceled, err := client.CancelReplayWithResponse(ctx, id, &postrider.CancelReplayParams{})
	called("cancelReplay", canceled, err)
}

func deleteWebhook(client *postrider.ClientWithResponses, webhookId string) {
	ctx := context.Background()
	deleted, err := client.DeleteWebhookWithResponse(ctx, webhookId)
	called("deleteWebhook", deleted, err)
	entries, err := client.ListAuditLogWithResponse(ctx, &postrider.ListAuditLogParams{})
	called("listAuditLog", entries, err)
}
